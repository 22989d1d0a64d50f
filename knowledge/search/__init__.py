"""Outside search engines: E of the paper, as pairs of (headline, text)."""
