"""Facts of a course: deadlines, exams, hours, people and rules."""
