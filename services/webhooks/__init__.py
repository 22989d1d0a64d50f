"""Tells a platform what happened in a course: signed, in order, until it has heard."""
