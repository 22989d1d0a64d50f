"""The HTTP API: dialogue, instructors' and visitors' routes with their schemas."""
