"""A question asked as a student would, with everything that led to its answer; nothing of it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from services.settings import Settings
from services.use_cases.draft_knowledge import ChangedKnowledge
from services.use_cases.lookup import Lookup, LookupSource, look_up
from services.use_cases.replay import Proposal, StoreSource, change_of
from vta.dialogue.assistant import Assistant
from vta.ports import KnowledgeBase
from vta.types import Answer, Course, Mode, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """An answer, and the pairs that were ranked for it; `then` is the answer with a proposal."""

    answer: Answer
    lookup: Lookup
    then: Answer | None = None


class PreviewSource(LookupSource, StoreSource, Protocol):
    """What a preview needs of the platform."""

    @property
    def settings(self) -> Settings: ...

    @property
    def previewer(self) -> Assistant: ...

    @property
    def previewer_of(self) -> Callable[[KnowledgeBase], Assistant]: ...


async def preview(
    platform: PreviewSource,
    course: Course,
    text: str,
    *,
    hint: bool = False,
    proposal: Proposal | None = None,
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
