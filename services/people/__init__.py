"""Who is who: the people who teach with their accounts, roles, keys and log-in, and learners by token."""
