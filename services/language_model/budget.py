"""The daily budget of tokens of a course."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from threading import Lock

from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import LanguageModel
from vta.tokens import message_tokens
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, Completion, JsonSchema


class BudgetedModel:
    """`vta.ports.LanguageModel` that asks another one as long as the course has tokens left today.

    Beyond that it is `UpstreamFailed`, so that answers are written without a model and say so. A call under
    way counts as its estimated prompt and the longest answer, so a course goes beyond by less than one call,
    however many it has at once in this process.
    """

    def __init__(
        self, model: LanguageModel, *, most: int, answer_tokens: int, used: Callable[[CourseId], int]
    ) -> None:
        """`used` gives the tokens of a course's ended calls today; `answer_tokens` is the longest answer."""
        self._model = model
        self._most = most
        self._answer_tokens = answer_tokens
        self._used = used
        self._reserved: dict[object, tuple[CourseId, int]] = {}
        self._lock = Lock()

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        course_id: CourseId | None = None,
        schema: JsonSchema | None = None,
    ) -> Completion:
        async with self._reserving(messages, course_id):
            return await self._model.complete(messages, course_id=course_id, schema=schema)

    async def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        async with (
            self._reserving(messages, course_id),
            aclosing(self._model.stream(messages, course_id=course_id)) as pieces,
        ):
            async for piece in pieces:
                yield piece

    @asynccontextmanager
    async def _reserving(
        self, messages: Sequence[ChatMessage], course_id: CourseId | None
    ) -> AsyncIterator[None]:
        call = object()
        try:
            if course_id is not None:
                await asyncio.to_thread(self._reserve, call, course_id, message_tokens(messages))
            yield
        finally:
            self._reserved.pop(call, None)

    def _reserve(self, call: object, course_id: CourseId, prompt_tokens: int) -> None:
        """Reserve the tokens of a call, one call after the other.

        The sum is taken before `used` is read, so a call that ends in between counts twice, not never.
        """
        with self._lock:
            reserved = sum(n for course, n in tuple(self._reserved.values()) if course == course_id)
            if self._used(course_id) + reserved >= self._most:
                raise UpstreamFailed(Fault("model.spent"))
            self._reserved[call] = (course_id, prompt_tokens + self._answer_tokens)
