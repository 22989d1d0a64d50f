"""Accounts, roles, keys and log-in of the people who teach, and the identity of learners."""
