"""Learners: their conversations, and the export and erasure of their data."""
