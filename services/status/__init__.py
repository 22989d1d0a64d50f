"""What works now: the parts of a platform as `/readyz` and teachers see them."""
