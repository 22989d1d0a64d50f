"""FAQ answers by their very wording, from the relational store alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock

from sqlalchemy import Engine

from services.storage.courses import read_revision
from services.storage.documents import read_faq_pairs
from services.storage.transactions import reading
from vta.faq import bare, wordings_of
from vta.types import CourseId, QAPair

KEPT_COURSES = 4
"""Courses whose wordings are kept in memory, as they are at one revision of the store."""


class SqlExactMatches:
    """The port `ExactMatches`. The wordings of a course are read once a revision, when first asked for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._kept: dict[CourseId, tuple[int, Mapping[str, QAPair]]] = {}

    def find(self, course_id: CourseId, question: str) -> QAPair | None:
        return self._wordings(course_id).get(bare(question))

    def _wordings(self, course_id: CourseId) -> Mapping[str, QAPair]:
        with self._lock, reading(self._engine) as connection:
            revision = read_revision(connection)
            kept = self._kept.get(course_id)
            if kept is not None and kept[0] == revision:
                return kept[1]
            read = by_wording(read_faq_pairs(connection, course_id))
            if len(self._kept) >= KEPT_COURSES:
                self._kept.clear()
            self._kept[course_id] = (revision, read)
            return read


def by_wording(pairs: Iterable[QAPair]) -> Mapping[str, QAPair]:
    """The pairs by each of their wordings; what an instructor wrote here goes before what is from a file."""
    found: dict[str, QAPair] = {}
    for pair in pairs:
        for wording in wordings_of(pair):
            before = found.get(wording)
            if before is None or (before.document is not None and pair.document is None):
                found[wording] = pair
    return found
