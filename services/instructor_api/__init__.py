"""What instructors and platforms do by HTTP: FAQ entries, waiting questions, keys."""
