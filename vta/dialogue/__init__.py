"""The path of one question."""
