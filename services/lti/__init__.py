"""The LTI 1.3 tool: a platform vouches for who someone is, and they come in without a further log-in."""
