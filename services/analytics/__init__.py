"""What is asked of a course and how well it is answered."""
