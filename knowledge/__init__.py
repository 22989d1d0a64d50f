"""Knowledge: reading course material, indexing it as QA pairs, ranking them."""
