"""A question asked as a student would, with everything that led to its answer; nothing of it is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from services.settings import Settings
from services.use_cases.lookup import Lookup, LookupSource, look_up
from vta.dialogue.assistant import Assistant
from vta.types import Answer, Course, Mode, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """An answer, and the pairs of the course that were ranked for it."""

    answer: Answer
    lookup: Lookup


class PreviewSource(LookupSource, Protocol):
    """What a preview needs of the platform."""

    @property
    def settings(self) -> Settings: ...

    @property
    def previewer(self) -> Assistant: ...


async def preview(platform: PreviewSource, course: Course, text: str, *, hint: bool = False) -> Preview:
    """Ask a course. Raises as `Assistant.stream` does."""
    question = Question(course_id=course.id, text=text, mode=Mode.HINT if hint else Mode.ANSWER)
    answer = await platform.previewer.answer(question)
    text, top = answer.standalone_question, platform.settings.top_k
    lookup = await asyncio.to_thread(look_up, platform, course, text, top=top)
    return Preview(answer=answer, lookup=lookup)
