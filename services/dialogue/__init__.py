"""Questions to a course: their routes, answers and storage."""
