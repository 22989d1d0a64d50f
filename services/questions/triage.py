"""The bands of waiting questions, cached so that a list of thousands is not looked up each time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from services.dialogue.lookup import LookupSource, look_up
from vta.dialogue.routing import exact_match_first, relevance_of, thresholds_for
from vta.dialogue.understanding import Understanding
from vta.errors import NotReady, UpstreamFailed, VtaError
from vta.ports import KnowledgeBase
from vta.types.answers import Route
from vta.types.courses import Course, CourseId, Thresholds
from vta.types.pairs import Candidate, Source


class Band(StrEnum):
    """The verdict of the course's own thresholds on a waiting question."""

    PUBLISH = "publish"
    HOLD = "hold"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The pairs of the course for a question, best first; `draft` is one that may answer it."""

    band: Band
    candidates: tuple[Candidate, ...]
    draft: Candidate | None

    @property
    def best(self) -> float:
        return max((candidate.score for candidate in self.candidates), default=0.0)


_RANKED = 5


def assess(source: LookupSource, course: Course, question: str) -> Assessment:
    """Publish where the course's text would answer directly, discard where nothing comes near.

    A task that is not the course's is discarded, too. Text of the course is FAQ, material and concepts;
    what a search engine found is not. A draft is offered from half of beta on, or where it would be taught.
    """
    found = look_up(source, course, question, top=_RANKED)
    thresholds, decision = found.asked.thresholds, found.decide()
    candidates = exact_match_first(question, found.ranking.candidates)
    own = next((c for c in candidates if c.pair.source is not Source.SEARCH), None)
    if own is not None and own == candidates[0] and decision.route is Route.DIRECT:
        band = Band.PUBLISH
    elif decision.route is Route.UNANSWERED or (
        decision.route is Route.CHIT_CHAT and found.asked.intent.is_other_task
    ):
        band = Band.DISCARD
    else:
        band = Band.HOLD
    offered = own is not None and (
        own.score >= thresholds.beta / 2 or relevance_of(own) >= thresholds.relevance
    )
    return Assessment(band=band, candidates=candidates, draft=own if offered else None)


CACHED_ASSESSMENTS = 1000
"""Whole assessments, for pages that are read again."""
RESTS = 2
"""The pause of the work behind the pages after each question, in times of its duration: pages go first."""
_log = logging.getLogger(__name__)
_State = tuple[Hashable, Thresholds]
"""The version of the course's knowledge, and its thresholds."""


@dataclass(slots=True)
class _CourseBands:
    """The bands of one course by the question's words, each with the state that it was found in."""

    found: dict[str, tuple[Band, _State]] = field(default_factory=dict)
    under_way: Future[None] | None = None


class QuestionBands:
    """Assesses questions and caches their bands.

    After a change of the knowledge a band stays until the question is assessed again: by a page that shows
    it, or by `refresh` in the background.
    """

    def __init__(self, *, knowledge: KnowledgeBase, reader: Understanding) -> None:
        self.knowledge = knowledge
        self.reader = reader
        self._assessed = lru_cache(maxsize=CACHED_ASSESSMENTS)(self._assess)
        self._courses: dict[CourseId, _CourseBands] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bands")

    def close(self) -> None:
        """End the round under way, and begin no other."""
        self._closing.set()
        self._worker.shutdown(cancel_futures=True)

    def assess(self, course: Course, question: str) -> Assessment | None:
        """The assessment of a question now; None while search is away."""
        try:
            state = self._state(course)
            found = self._assessed(course, question, state)
        except (UpstreamFailed, NotReady) as failure:
            _log.warning("a waiting question could not be assessed: %s", failure.message)
            return None
        with self._lock:
            self._bands(course.id).found[question] = (found.band, state)
        return found

    def known(self, course: Course, questions: Sequence[str]) -> Mapping[str, Band]:
        """The bands of the assessed ones of these questions; all others are dropped."""
        with self._lock:
            bands = self._bands(course.id)
            bands.found = {each: bands.found[each] for each in questions if each in bands.found}
            return {question: band for question, (band, _) in bands.found.items()}

    def outdated(self, course: Course, questions: Sequence[str]) -> list[str]:
        """Those of these questions that were never assessed, then those whose band is of older knowledge."""
        try:
            state = self._state(course)
        except (UpstreamFailed, NotReady):
            return []
        with self._lock:
            found = self._bands(course.id).found
            unknown = [each for each in questions if each not in found]
            return unknown + [each for each in questions if each in found and found[each][1] != state]

    def refresh(self, course: Course, questions: Sequence[str]) -> None:
        """Assess outdated questions in the background, in one round of a course at a time."""
        with self._lock:
            bands = self._bands(course.id)
            if self._closing.is_set() or (bands.under_way is not None and not bands.under_way.done()):
                return
            bands.under_way = self._worker.submit(self._assess_all, course, questions)

    def _assess_all(self, course: Course, questions: Sequence[str]) -> None:
        try:
            for question in self.outdated(course, questions):
                begun = time.monotonic()
                if self.assess(course, question) is None:
                    return
                if self._closing.wait((time.monotonic() - begun) * RESTS):
                    return
        except VtaError:
            _log.warning("the waiting questions of %s could not be assessed", course.id, exc_info=True)

    def _assess(self, course: Course, question: str, state: _State) -> Assessment:
        """`assess`, cached by `state`."""
        return assess(self, course, question)

    def _bands(self, course_id: CourseId) -> _CourseBands:
        return self._courses.setdefault(course_id, _CourseBands())

    def _state(self, course: Course) -> _State:
        version = self.knowledge.current(course).version_of(course)
        return version, thresholds_for(course, self.reader.thresholds)
