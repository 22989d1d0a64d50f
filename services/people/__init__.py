"""The people who teach: accounts, invitations, roles, keys, log-in."""
