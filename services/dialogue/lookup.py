"""A question asked as a student would, with everything that led to its answer; nothing of it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from knowledge.learned_ranking import LearnedRanker
from services.dialogue.rows import new_turn
from services.faq.replay import NO_CHANGE, FaqProposal, IndexChange, QuestionPlatform, change_of
from vta.dialogue.gate import is_small_talk
from vta.dialogue.question import UnderstoodQuestion, check_question
from vta.dialogue.routing import Decision, decide
from vta.dialogue.tracing import Tracer
from vta.dialogue.understanding import Understanding
from vta.errors import NotFound
from vta.faults import Fault
from vta.ports import Clock, Knowledge, KnowledgeBase
from vta.types.answers import Answer, Turn
from vta.types.concepts import Concept, Mention
from vta.types.courses import Course, CourseId, SessionId, Thresholds
from vta.types.pairs import Candidate, QAPair, Ranking
from vta.types.questions import Mode, Question


class LookupSource(Protocol):
    """What a lookup needs of the platform."""

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
        """How it would be answered without a language model; conflicts are not looked for.

        The thresholds are those of the course, unless others are given.
        """
        asked = replace(self.asked, thresholds=thresholds or self.asked.thresholds)
        pairs = self.ranking.candidates
        return decide(asked, pairs, small_talk=is_small_talk(asked, pairs))


def look_up(source: LookupSource, course: Course, text: str, *, top: int) -> Lookup:
    """The top pairs for a question that stands alone. `InvalidInput` where it is no question."""
    check_question(text)
    knowledge = source.knowledge.current()
    asked = source.reader.understand(
        Question(course_id=course.id, text=text), course=course, turns=(), knowledge=knowledge, trace=Tracer()
    )
    return Lookup(asked=asked, ranking=asked.rank(asked.standalone, top=top))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedKnowledge:
    """`vta.ports.KnowledgeBase` in which the pairs of a change are there, or gone."""

    knowledge: KnowledgeBase
    course_id: CourseId
    change: IndexChange

    def current(self) -> Knowledge:
        found = self.knowledge.current()
        if not isinstance(found.ranker, LearnedRanker):
            raise TypeError(f"{type(found.ranker).__name__} cannot judge a pair that is not in the index")
        return replace(found, ranker=ChangedRanker(found.ranker, self.course_id, self.change))


class ChangedRanker:
    """`vta.ports.Ranker` of one course's change."""

    def __init__(self, ranker: LearnedRanker, course_id: CourseId, change: IndexChange) -> None:
        self._ranker, self._course_id, self._change = ranker, course_id, change

    def rank(
        self,
        question: str,
        *,
        course: Course,
        mentions: Sequence[Mention],
        chit_chat: float,
        top: int,
        found: Sequence[QAPair] = (),
    ) -> Ranking:
        change = self._change if course.id == self._course_id else NO_CHANGE
        return self._ranker.rank(
            question,
            course=course,
            mentions=mentions,
            chit_chat=chit_chat,
            top=top,
            found=found,
            joining=change.new,
            leaving=change.gone,
        )

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._ranker.where_taught(concept, course=course)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """An answer, and the pairs that were ranked for it; `then` is the answer with a proposal."""

    answer: Answer
    lookup: Lookup
    then: Answer | None = None


async def preview(
    platform: QuestionPlatform,
    course: Course,
    text: str,
    *,
    hint: bool = False,
    proposal: FaqProposal | None = None,
) -> Preview:
    """Ask a course as it is and, with a proposal, as that would make it.

    Raises as `Assistant.stream` and `change_of` do.
    """
    question = Question(course_id=course.id, text=text, mode=Mode.HINT if hint else Mode.ANSWER)
    then = None
    if proposal is not None:
        change = await asyncio.to_thread(change_of, platform, proposal, course)
        changed = ChangedKnowledge(knowledge=platform.knowledge, course_id=course.id, change=change)
        then = await platform.previewer_of(changed).answer(question)
    answer = await platform.previewer.answer(question)
    text, top = answer.standalone_question, platform.settings.top_k
    lookup = await asyncio.to_thread(look_up, platform, course, text, top=top)
    return Preview(answer=answer, lookup=lookup, then=then)


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
