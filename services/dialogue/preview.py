"""A question asked as a student would, with a proposed FAQ entry or without; nothing is stored."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from services.dialogue.lookup import Lookup, look_up
from services.faq.replay import FaqProposal, IndexChange, change_of, learned_ranker
from services.wiring import Platform
from vta.ports import Knowledge, KnowledgeBase
from vta.types.answers import Answer
from vta.types.concepts import Concept
from vta.types.courses import Course
from vta.types.pairs import Candidate, Ranking
from vta.types.questions import Mode, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedKnowledge:
    """`vta.ports.KnowledgeBase` with the pairs of a change added or removed."""

    knowledge: KnowledgeBase
    change: IndexChange

    def current(self) -> Knowledge:
        found = self.knowledge.current()
        return replace(found, ranker=ChangedRanker(found, self.change))


class ChangedRanker:
    """`vta.ports.Ranker` that ranks as after a change."""

    def __init__(self, knowledge: Knowledge, change: IndexChange) -> None:
        self._ranker, self._change = learned_ranker(knowledge), change

    def rank(self, question: str, **asked: Any) -> Ranking:
        return self._ranker.rank(question, **asked, joining=self._change.new, leaving=self._change.gone)

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._ranker.where_taught(concept, course=course)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """An answer, and the pairs that were ranked for it; `then` is the answer with a proposal."""

    answer: Answer
    lookup: Lookup
    then: Answer | None = None


async def preview(
    platform: Platform, course: Course, text: str, *, hint: bool, proposal: FaqProposal | None
) -> Preview:
    """Ask a course as it is and, with a proposal, as that would make it.

    Raises as `Assistant.stream` and `change_of` do.
    """
    question = Question(course_id=course.id, text=text, mode=Mode.HINT if hint else Mode.ANSWER)
    then = None
    if proposal is not None:
        change = await asyncio.to_thread(change_of, platform, proposal, course)
        changed = ChangedKnowledge(knowledge=platform.knowledge, change=change)
        then = await platform.previewer_of(changed).answer(question)
    answer = await platform.previewer.answer(question)
    lookup = await asyncio.to_thread(
        look_up, platform, course, answer.standalone_question, top=platform.settings.top_k
    )
    return Preview(answer=answer, lookup=lookup, then=then)
