"""The words of the project: frozen values that pass between the rooms.

Every type is immutable and knows no server, file or framework. Scores are floats without unit unless the
docstring gives one; times are seconds (`*_s`) or milliseconds (`*_ms`).
"""
