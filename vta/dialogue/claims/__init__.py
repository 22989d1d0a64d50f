"""Claims of a language model: what they say, clause by clause, and what in the course supports them."""
