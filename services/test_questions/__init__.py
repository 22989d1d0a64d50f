"""Test questions of a course: run after each change, beside the run before."""
