"""A course as it is read: its contents, and each document in parts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from threading import Lock

from services.storage.documents import SqlDocuments
from services.use_cases.course_contents import Chapter, Unit, find_passage, material_of, read_contents
from services.use_cases.course_outline import MOST_PAIRS
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import Course, CourseId, Locator, PairId, QAPair

PASSAGES_PER_PART = 60
"""Of a document that is longer, a page shows a part."""
KEPT_COURSES = 16
"""Courses whose contents are kept in memory, as they are at one revision of the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The passages of a document that one page shows; `number` counts from 1 to `of`.

    `here` is the passage that was looked for, None where none was.
    """

    chapter: Chapter
    unit: str
    passages: tuple[QAPair, ...]
    number: int
    of: int
    here: PairId | None
    before: Chapter | None
    after: Chapter | None


class CourseReading:
    """Reads what was ingested into a course; FAQ entries are not material."""

    def __init__(self, documents: SqlDocuments) -> None:
        self._documents = documents
        self._kept: dict[CourseId, tuple[int, tuple[Unit, ...]]] = {}
        self._lock = Lock()

    def contents(self, course: Course) -> tuple[Unit, ...]:
        """The units of a course, of its first `MOST_PAIRS` pairs; read once a revision."""
        revision = self._documents.revision()
        with self._lock:
            kept = self._kept.get(course.id)
            if kept is not None and kept[0] == revision:
                return kept[1]
            read = read_contents(course.language, islice(self._documents.pairs(course.id), MOST_PAIRS))
            if len(self._kept) >= KEPT_COURSES:
                self._kept.clear()
            self._kept[course.id] = (revision, read)
            return read

    def part(
        self,
        course: Course,
        path: str,
        *,
        number: int = 1,
        passage: PairId | None = None,
        place: Locator | None = None,
    ) -> Part:
        """The part of a document that holds a passage or place, else the one of that number.

        `NotFound` where the course has no such document, or no such part of it.
        """
        chapters = [(unit, chapter) for unit in self.contents(course) for chapter in unit.chapters]
        at = next((n for n, (_, chapter) in enumerate(chapters) if chapter.path == path), None)
        if at is None:
            raise NotFound(Fault("sidebar.no_document", course=course.id, path=path))
        passages = material_of(self._documents.passages(course.id, path))
        found = find_passage(passages, passage=passage, place=place)
        last = max(-(-len(passages) // PASSAGES_PER_PART), 1)
        chosen = number if found is None else found // PASSAGES_PER_PART + 1
        if chosen > last:
            raise NotFound(Fault("sidebar.no_document", course=course.id, path=path))
        first = (chosen - 1) * PASSAGES_PER_PART
        return Part(
            chapter=chapters[at][1],
            unit=chapters[at][0].name,
            passages=tuple(passages[first : first + PASSAGES_PER_PART]),
            number=chosen,
            of=last,
            here=None if found is None else passages[found].id,
            before=chapters[at - 1][1] if at > 0 else None,
            after=chapters[at + 1][1] if at + 1 < len(chapters) else None,
        )
