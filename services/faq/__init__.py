"""FAQ entries: every version of them, their batches, and what a change would do."""
