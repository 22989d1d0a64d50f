"""Training the intent classifier and measuring it."""
