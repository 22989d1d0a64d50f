"""A course as one portable file: a zip of JSON Lines with a manifest."""
