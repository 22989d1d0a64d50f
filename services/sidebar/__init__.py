"""The student's sidebar: a web component, and the course page around it."""
