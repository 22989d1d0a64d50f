"""Answers as JSON and as safe HTML."""
