"""Measurements for the documents: each module with a function `run` is a benchmark."""
