"""The concept graph: concepts, what they mean, and what must be known first."""
