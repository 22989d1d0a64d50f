"""What people do with a course, once each; the faces parse, call and render."""
