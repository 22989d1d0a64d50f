"""Documents of courses and edits of their graphs, the source of index and graphs."""
