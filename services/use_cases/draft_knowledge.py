"""The knowledge of the platform as a change of the FAQ would make it; nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowledge.learned_ranking import DEPTH, LearnedRanker
from services.use_cases.replay import NO_CHANGE, Change
from vta.ports import Knowledge, KnowledgeBase
from vta.types import Candidate, Concept, Course, CourseId, Mention, QAPair, Ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedKnowledge:
    """`vta.ports.KnowledgeBase` in which the pairs of a change are there, or gone."""

    knowledge: KnowledgeBase
    course_id: CourseId
    change: Change

    def current(self) -> Knowledge:
        found = self.knowledge.current()
        if not isinstance(found.ranker, LearnedRanker):
            raise TypeError(f"{type(found.ranker).__name__} cannot judge a pair that is not in the index")
        return replace(found, ranker=ChangedRanker(found.ranker, self.course_id, self.change))


class ChangedRanker:
    """`vta.ports.Ranker` of one course's change."""

    def __init__(self, ranker: LearnedRanker, course_id: CourseId, change: Change) -> None:
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
        asked = self._ranker.ask(question, course=course, mentions=mentions, chit_chat=chit_chat)
        pool = self._ranker.gather(asked, max(top, DEPTH), found)
        change = self._change if course.id == self._course_id else NO_CHANGE
        judged = self._ranker.judge(pool, joining=change.new, leaving=change.gone)
        return Ranking(terms=asked.terms, candidates=judged[: max(top, 0)], degraded=pool.degraded)

    def coverage(
        self, question: str, *, mentions: Sequence[Mention], candidates: Sequence[Candidate]
    ) -> float:
        return self._ranker.coverage(question, mentions=mentions, candidates=candidates)

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._ranker.where_taught(concept, course=course)
