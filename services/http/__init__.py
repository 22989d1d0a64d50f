"""HTTP matters that all routes share."""
