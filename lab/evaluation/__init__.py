"""Evaluation over data sets on disk, with the platform as it is shipped."""
