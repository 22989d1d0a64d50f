"""The dialogue API: one course, one question, one answer, as JSON or as events."""
