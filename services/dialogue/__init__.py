"""Asking a course: how a question comes in, is answered and is kept."""
