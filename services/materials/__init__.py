"""The documents of a course as instructors bring them: uploads, ingests with progress, removal."""
