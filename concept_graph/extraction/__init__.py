"""Concepts of a course from its own material: candidates, a score learned from weak seeds, explanations.

Nothing here is trained on concepts that a person has marked for the course.
"""
