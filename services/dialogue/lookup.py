"""The ranking and the decision for a question, without an answer; nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from services.dialogue.rows import new_turn
from vta.dialogue.gate import is_small_talk
from vta.dialogue.question import UnderstoodQuestion, check_question
from vta.dialogue.routing import Decision, decide
from vta.dialogue.tracing import Tracer
from vta.dialogue.understanding import Understanding
from vta.errors import NotFound
from vta.faults import Fault
from vta.ports import Clock, KnowledgeBase
from vta.types.answers import Answer, Turn
from vta.types.courses import Course, CourseId, SessionId, Thresholds
from vta.types.pairs import Ranking
from vta.types.questions import Question


class LookupSource(Protocol):
    """The parts of the platform that a lookup needs."""

    @property
    def knowledge(self) -> KnowledgeBase: ...

    @property
    def reader(self) -> Understanding: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A question as the assistant understands it, and the pairs by S(z, q), of one state of the knowledge."""

    asked: UnderstoodQuestion
    ranking: Ranking

    def decide(self, thresholds: Thresholds | None = None) -> Decision:
        """How it would be answered without a language model.

        The thresholds are those of the course, unless others are given.
        """
        asked = replace(self.asked, thresholds=thresholds or self.asked.thresholds)
        pairs = self.ranking.candidates
        return decide(asked, pairs, small_talk=is_small_talk(asked, pairs))


def look_up(source: LookupSource, course: Course, text: str, *, top: int) -> Lookup:
    """The top pairs for a question that stands alone. `InvalidInput` where it is no question."""
    check_question(text)
    knowledge = source.knowledge.current(course)
    asked = source.reader.understand(
        Question(course_id=course.id, text=text), course=course, turns=(), knowledge=knowledge, trace=Tracer()
    )
    return Lookup(asked=asked, ranking=asked.rank(asked.standalone, top=top))


class EphemeralSessions:
    """`vta.ports.SessionStore` that forgets: each question is the first of a session that is not stored."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def turns(
        self,
        course_id: CourseId,
        session_id: SessionId,
        *,
        last: int | None = None,
        learner_id: str | None = None,
    ) -> tuple[Turn, ...]:
        raise NotFound(Fault("session.unknown", session=session_id, course=course_id))

    def record(self, question: Question, answer: Answer, *, flagged: bool = False) -> Turn:
        return new_turn(question, answer, number=1, at=self._clock.now(), flagged=flagged)
