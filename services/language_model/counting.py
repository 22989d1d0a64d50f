"""Counts what one piece of work asks of a language model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from vta.ports import LanguageModel
from vta.types import ChatMessage, Completion, CourseId, JsonSchema


class CountingModel:
    """`vta.ports.LanguageModel` that passes everything on; `calls` and the tokens of whole answers add up."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.calls = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        course_id: CourseId | None = None,
        schema: JsonSchema | None = None,
    ) -> Completion:
        self.calls += 1
        completion = await self._model.complete(messages, course_id=course_id, schema=schema)
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        return completion

    async def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        self.calls += 1
        async with aclosing(self._model.stream(messages, course_id=course_id)) as pieces:
            async for piece in pieces:
                yield piece
