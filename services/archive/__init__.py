"""A course, or the whole store, as one portable file: a zip of JSON Lines with a manifest."""
