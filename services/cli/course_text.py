"""A course on the command line: which ids it may have, and how it is told."""

from __future__ import annotations

import re

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Course

_COURSE_ID = re.compile(r"\w[\w.@-]{0,63}")


def check_course_id(text: str, name: str) -> None:
    """`InvalidInput` that names the argument where a new course cannot be called so."""
    if not _COURSE_ID.fullmatch(text):
        raise InvalidInput(Fault("option.name", name=name, text=text))


def course_json(course: Course) -> dict[str, object]:
    """A course as JSON."""
    return {
        "id": course.id,
        "name": course.name,
        "domains": list(course.domains),
        "language": str(course.language),
    }
