"""Search engines outside the house: E of the paper, as pairs of (headline, text)."""
