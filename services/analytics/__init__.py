"""Analytics as they are read, kept ready, exported and drawn."""
