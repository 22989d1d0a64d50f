"""Creates the sample courses from the package's own files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from services.wiring import Platform
from vta.errors import NotFound
from vta.ingest.pipeline import ingest
from vta.types import Course, CourseId, Language, Question

DEMO_COURSES = ("data-structures-zh", "machine-learning-en")
DEMO_QUESTION = Question(course_id=CourseId("data-structures-zh"), text="什么是栈？")


@contextmanager
def demo_folder(course_id: str) -> Iterator[Path]:
    """The folder of a sample course's files."""
    with as_file(files("services.demo") / "courses_data" / course_id) as folder:
        yield folder


def create_demo_courses(platform: Platform) -> Iterator[str]:
    """Create or update the sample courses, and say what was done, a line each."""
    for course_id in DEMO_COURSES:
        with demo_folder(course_id) as folder:
            course = _course(folder)
            try:
                platform.stores.courses.course(course.id)
            except NotFound:
                platform.stores.courses.add(course)
            report = ingest(
                [folder], course=course, readers=platform.readers, documents=platform.stores.documents
            )
        state = f"{len(report.added)} documents added, {len(report.unchanged)} unchanged"
        yield f"{course.name} ({course.id}): {state}"
    platform.knowledge.current()


def _course(folder: Path) -> Course:
    raw = json.loads((folder / "course.json").read_text(encoding="utf-8"))
    return Course(
        id=CourseId(raw["id"]),
        name=raw["name"],
        domains=tuple(raw["domains"]),
        language=Language(raw["language"]),
    )
