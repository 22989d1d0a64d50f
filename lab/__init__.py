"""Training, fitting and evaluation: for who works from a source checkout, and never part of a server."""
