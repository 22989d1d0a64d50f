"""How much of the language model a course may use a day."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import LanguageModel
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, Completion, JsonSchema


class BudgetedModel:
    """`vta.ports.LanguageModel` that asks another one as long as the course has tokens left today.

    Beyond that it is `UpstreamFailed`, so that answers are written without a model and say so. Answers under
    way are counted when they end, so a course may go beyond by as many as it has at once.
    """

    def __init__(self, model: LanguageModel, *, most: int, used: Callable[[CourseId], int]) -> None:
        """`used` gives the tokens of a course today; it may wait for the store."""
        self._model = model
        self._most = most
        self._used = used

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        course_id: CourseId | None = None,
        schema: JsonSchema | None = None,
    ) -> Completion:
        await self._require(course_id)
        return await self._model.complete(messages, course_id=course_id, schema=schema)

    async def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        await self._require(course_id)
        async with aclosing(self._model.stream(messages, course_id=course_id)) as pieces:
            async for piece in pieces:
                yield piece

    async def _require(self, course_id: CourseId | None) -> None:
        if course_id is not None and await asyncio.to_thread(self._used, course_id) >= self._most:
            raise UpstreamFailed(Fault("model.spent"))
