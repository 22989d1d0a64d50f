"""What the index and the graphs are made of: the documents of courses, and the edits of their graphs."""
