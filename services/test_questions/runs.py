"""Runs of test questions, beside the work for students and without a language model."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256

from services.indexing.stored_knowledge import StoredKnowledge
from services.stores import Stores
from services.test_questions.store import CourseTest, Outcome, Run, place_of
from vta import __version__
from vta.dialogue.assistant import Assistant
from vta.dialogue.degradations import counted_route, has_failed
from vta.dialogue.grounding import without_marks
from vta.errors import UpstreamFailed, VtaError
from vta.faults import Fault
from vta.ports import Clock
from vta.sentences import sentence_spans
from vta.text import normalise
from vta.types.answers import Answer, Route
from vta.types.courses import Course, CourseId
from vta.types.questions import Question

REST_S = 60.0
"""Until a course whose run has failed is tried again, in seconds."""
LONGEST_SENTENCE = 300
"""Characters that are kept of the first sentence of an answer."""

_log = logging.getLogger(__name__)


class QuestionRuns:
    """Runs the test questions of each course that has changed since its last run."""

    def __init__(
        self,
        stores: Stores,
        knowledge: StoredKnowledge,
        assistant: Assistant,
        clock: Clock,
        *,
        has_model: bool,
    ) -> None:
        """`assistant` has no model and stores no turn; students have one if `has_model`."""
        self._stores, self._knowledge, self._assistant = stores, knowledge, assistant
        self._clock, self.has_model = clock, has_model
        self._rests: dict[CourseId, float] = {}
        """Until when a course that has failed is left alone, by `time.monotonic`."""

    def waits(self, course_id: CourseId) -> bool:
        """Whether a run of a course is due or under way."""
        return any(self._due(course_id))

    async def run_due(self, quiet: Callable[[], Awaitable[bool]]) -> None:
        """Run what is due, one course after the other; one that fails or cannot be searched rests `REST_S`.

        Each question waits for `quiet`, which returns False once the server closes.
        """
        for course, revision, stamp in await asyncio.to_thread(lambda: list(self._due())):
            if time.monotonic() < self._rests.get(course.id, 0.0):
                continue
            try:
                await self._run(course, revision, stamp, quiet)
                continue
            except VtaError as failure:
                _log.warning("the test questions of %r were not run: %s", course.id, failure.message)
            except Exception:
                _log.exception("the test questions of %r were not run", course.id)
            self._rests[course.id] = time.monotonic() + REST_S

    async def _run(
        self, course: Course, revision: int, stamp: str, quiet: Callable[[], Awaitable[bool]]
    ) -> None:
        await asyncio.to_thread(self._knowledge.sync)
        tests = (await asyncio.to_thread(self._stores.test_questions.read, course.id)).tests
        outcomes: list[Outcome] = []
        for test in tests:
            if not await quiet():
                return
            answer = await self._assistant.answer(Question(course_id=course.id, text=test.question), course)
            if has_failed(answer):
                raise UpstreamFailed(Fault("test_question.not_searched"))
            outcomes.append(outcome_of(test, answer, has_model=self.has_model))
        run = Run(at=self._clock.now(), revision=revision, outcomes=tuple(outcomes))
        await asyncio.to_thread(self._stores.test_questions.record, course.id, run, stamp=stamp, of=tests)

    def _due(self, only: CourseId | None = None) -> Iterator[tuple[Course, int, str]]:
        """The courses of which a run is due, or the one, with their revisions and the stamps of the runs.

        A stamp tells the version of the program, whether students have a model, the course with its own
        thresholds and sentences and those that it borrows from, and its facts.
        """
        known = self._stores.test_questions.stamps(only)
        if not known:
            return
        _, revisions = self._stores.documents.revisions()
        courses = self._stores.courses.courses()
        for course in courses:
            if course.id not in known or course.archived:
                continue
            last, facts = known[course.id]
            read = [(each.id, revisions.get(each.id)) for each in courses if each.shares_with(course)]
            revision = revisions.get(course.id, 0)
            told = (__version__, self.has_model, course, revision, read, facts)
            stamp = sha256(repr(told).encode()).hexdigest()[:16]
            if stamp != last:
                yield course, revision, stamp


def outcome_of(test: CourseTest, answer: Answer, *, has_model: bool) -> Outcome:
    """What an answer without a language model is worth.

    Where only the closest place was found, a model would answer from it; without one that is no answer.
    """
    route = answer.route if has_model else counted_route(answer)
    place, text = place_of(answer.citations), normalise(answer.text)
    is_there = not test.place or f"{place}#".startswith(f"{test.place}#")
    is_right = is_there and all(normalise(word) in text for word in test.words)
    return Outcome(
        id=test.id,
        route=route,
        sentence=_first_sentence(answer.text)[:LONGEST_SENTENCE],
        place=place,
        right=is_right and route in (Route.DIRECT, Route.CHAIN_OF_TEACH),
    )


def _first_sentence(text: str) -> str:
    """The first sentence of prose without its citation marks, else the first line."""
    for start, end in sentence_spans(text):
        return without_marks(text[start:end]).strip()
    return text.strip().split("\n")[0]
