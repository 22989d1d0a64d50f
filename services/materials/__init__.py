"""The documents of a course: uploaded, read, searched, removed and brought back."""
