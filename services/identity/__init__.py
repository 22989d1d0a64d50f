"""Who asks: learners, instructors, platforms, and how each proves it."""
