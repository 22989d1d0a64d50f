"""A course as the command line tells it."""

from __future__ import annotations

from vta.types import Course


def course_json(course: Course) -> dict[str, object]:
    """A course as JSON."""
    return {
        "id": course.id,
        "name": course.name,
        "domains": list(course.domains),
        "language": str(course.language),
        "archived": course.archived,
    }
