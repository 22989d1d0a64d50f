"""Learners: who they are, what is kept of them, and how it is exported and erased."""
