"""The concept graph of a course: built, proposed, reviewed, edited."""
