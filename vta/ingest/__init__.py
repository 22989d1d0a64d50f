"""The path of one document."""
