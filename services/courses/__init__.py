"""Courses: made, set up, copied as a file, archived."""
