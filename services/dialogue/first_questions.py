"""First questions: for a course and for a place in it, each tried before it is offered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from services.dialogue.lookup import look_up
from services.materials.course_reading import (
    KEPT_COURSES,
    MOST_PAIRS,
    Draft,
    SuggestedQuestions,
    in_order,
    read_outline,
)
from services.wiring import Platform
from vta.course_cache import CourseCache
from vta.errors import VtaError
from vta.faq import asks
from vta.text import normalise
from vta.types.answers import Route
from vta.types.courses import Course
from vta.types.pairs import Candidate
from vta.types.questions import Position

MOST = 3
_MOST_TRIED = 24
"""Questions looked up for one reply; each verdict is cached until the course changes."""


@dataclass(slots=True)
class _Known:
    """The outline of a course at one revision; `sure` says of each question tried if it is answered."""

    outline: SuggestedQuestions
    sure: dict[Draft, bool] = field(default_factory=dict)


class FirstQuestions:
    """Made when a sidebar first starts and cached until the course changes; no student's question waits."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._known = CourseCache[_Known](KEPT_COURSES)

    def of(self, course: Course, position: Position | None = None) -> tuple[str, ...]:
        """At most `MOST` questions that the course answers: of the place, then of the course.

        Empty where the course cannot be searched.
        """
        try:
            known = self._at_revision(course)
            drafts = dict.fromkeys(_mixed(known.outline, position))
            tried = islice(drafts, _MOST_TRIED)
            return tuple(
                islice((each.question for each in tried if self._is_sure(known, course, each)), MOST)
            )
        except VtaError:
            return ()

    def _at_revision(self, course: Course) -> _Known:
        knowledge = self._platform.knowledge.current(course)

        def read() -> _Known:
            documents = self._platform.stores.documents
            pairs = in_order(islice(documents.pairs(course.id), MOST_PAIRS), documents.contents(course.id))
            return _Known(read_outline(course, pairs, knowledge))

        return self._known.get(course.id, (course, knowledge.version_of(course)), read)

    def _is_sure(self, known: _Known, course: Course, draft: Draft) -> bool:
        if draft not in known.sure:
            known.sure[draft] = self._tries(course, draft)
        return known.sure[draft]

    def _tries(self, course: Course, draft: Draft) -> bool:
        """Does the course answer it: an FAQ entry by itself, else a first source that names the thing?"""
        top = self._platform.settings.top_k
        decision = look_up(self._platform, course, draft.question, top=top).decide()
        if not decision.known or decision.route not in (Route.DIRECT, Route.CHAIN_OF_TEACH):
            return False
        first = decision.known[0]
        if draft.about is None:
            return decision.route is Route.DIRECT and asks(first.pair, draft.question)
        return _names(first, draft.about)


def _mixed(outline: SuggestedQuestions, position: Position | None) -> Iterator[Draft]:
    """Questions in the order in which they are tried: of concepts, or headings, and the FAQ in turn."""
    yield from islice(outline.near(position), _MOST_TRIED // 2)
    for row in zip_longest(outline.concepts or outline.headings, outline.faq):
        yield from filter(None, row)
    yield from outline.headings


def _names(candidate: Candidate, about: str) -> bool:
    """Does the heading or question of a candidate name the thing?"""
    pair = candidate.pair
    return normalise(about) in normalise(" ".join((pair.question, *pair.locator.heading_path)))
