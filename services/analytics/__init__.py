"""Figures on the questions to a course and their answers."""
