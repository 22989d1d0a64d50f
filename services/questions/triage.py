"""The bands of the questions that wait, kept so that a list of thousands need not be looked up each time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from services.dialogue.lookup import look_up
from vta.dialogue.routing import exact_match_first, relevance_of, thresholds_for
from vta.dialogue.understanding import Understanding
from vta.errors import NotReady, UpstreamFailed, VtaError
from vta.ports import IntentClassifier, Knowledge, KnowledgeBase
from vta.types.answers import Route
from vta.types.courses import Course, CourseId, Thresholds
from vta.types.pairs import Candidate, Source
from vta.types.questions import IntentPrediction


class Band(StrEnum):
    """What the course's own thresholds say of a question that waits."""

    PUBLISH = "publish"
    HOLD = "hold"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What the course has on a question, best first; `draft` is text from the course that may answer it."""

    band: Band
    candidates: tuple[Candidate, ...]
    draft: Candidate | None

    @property
    def best(self) -> float:
        return max((candidate.score for candidate in self.candidates), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageSources:
    """What an assessment rests on."""

    knowledge: KnowledgeBase
    reader: Understanding


_RANKED = 5


def assess(sources: TriageSources, course: Course, question: str) -> Assessment:
    """Publish where the course's text would answer directly, discard where nothing comes near.

    A task that is not the course's is discarded, too. Text of the course is FAQ, material and concepts;
    what a search engine found is not. A draft is offered from half of beta on, or where it would be taught.
    """
    found = look_up(sources, course, question, top=_RANKED)
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


REMEMBERED_INTENTS = 20_000
"""Questions whose intent is kept: it depends on their words alone."""
REMEMBERED_ASSESSMENTS = 1000
"""The last assessments, kept whole for pages that are read again."""
RESTS = 2
"""How long the work behind the pages rests after each question, in times of what it took: pages go first."""
_log = logging.getLogger(__name__)
_State = tuple[int, Thresholds]
"""What a band rests on: the knowledge, counted as it changes, and the course's thresholds."""


@dataclass(frozen=True, slots=True)
class _Kept:
    band: Band
    state: _State


@dataclass(slots=True)
class _CourseBands:
    """The bands of one course, by the words of the question."""

    kept: dict[str, _Kept] = field(default_factory=dict)
    under_way: Future[None] | None = None


class RememberedIntents:
    """An `IntentClassifier` that is asked about each question once."""

    def __init__(self, intents: IntentClassifier) -> None:
        @lru_cache(maxsize=REMEMBERED_INTENTS)
        def predict(question: str, previous: str, course: str) -> IntentPrediction:
            return intents.predict(question, previous=previous, course=course)

        self._predict = predict

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        return self._predict(question, previous, course)


class QuestionBands:
    """Assesses questions and remembers their bands.

    Where the knowledge changes, a band stays until the question is assessed again: by a page that shows it,
    or by `refresh` behind the pages.
    """

    def __init__(self, sources: TriageSources) -> None:
        self._sources = TriageSources(
            knowledge=sources.knowledge,
            reader=replace(sources.reader, intents=RememberedIntents(sources.reader.intents)),
        )
        self._assessed = lru_cache(maxsize=REMEMBERED_ASSESSMENTS)(self._assess)
        self._courses: dict[CourseId, _CourseBands] = {}
        self._knowledge: Knowledge | None = None
        self._changes = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bands")

    def close(self) -> None:
        """End what is under way and begin nothing more."""
        self._closing.set()
        self._worker.shutdown(cancel_futures=True)

    def assess(self, course: Course, question: str) -> Assessment | None:
        """What the course has on a question now; None while search is away."""
        try:
            state = self._state(course)
            found = self._assessed(course, question, state)
        except (UpstreamFailed, NotReady) as failure:
            _log.warning("a waiting question could not be assessed: %s", failure.message)
            return None
        with self._lock:
            self._bands(course.id).kept[question] = _Kept(found.band, state)
        return found

    def known(self, course: Course, questions: Sequence[str]) -> Mapping[str, Band]:
        """The bands of those of these questions that were ever assessed; all others are forgotten."""
        with self._lock:
            bands = self._bands(course.id)
            bands.kept = {each: bands.kept[each] for each in questions if each in bands.kept}
            return {question: kept.band for question, kept in bands.kept.items()}

    def outdated(self, course: Course, questions: Sequence[str]) -> list[str]:
        """Those of these questions that were never assessed, then those whose band is of older knowledge."""
        try:
            state = self._state(course)
        except (UpstreamFailed, NotReady):
            return []
        with self._lock:
            kept = self._bands(course.id).kept
            unknown = [each for each in questions if each not in kept]
            return unknown + [each for each in questions if each in kept and kept[each].state != state]

    def refresh(self, course: Course, questions: Sequence[str]) -> None:
        """Assess what is outdated behind the pages; nothing waits for it, and one round of a course runs."""
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
        """Of one state of what it rests on."""
        return assess(self._sources, course, question)

    def _bands(self, course_id: CourseId) -> _CourseBands:
        return self._courses.setdefault(course_id, _CourseBands())

    def _state(self, course: Course) -> _State:
        knowledge = self._sources.knowledge.current()
        with self._lock:
            if knowledge is not self._knowledge:
                self._knowledge, self._changes = knowledge, self._changes + 1
            return self._changes, thresholds_for(course, self._sources.reader.thresholds)
