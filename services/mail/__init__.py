"""Tells instructors of new questions by e-mail."""
