"""The language model of a course, and its daily budget of tokens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from threading import Lock

from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import LanguageModel
from vta.tokens import message_tokens
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, Completion, JsonSchema


class BudgetedModel:
    """`vta.ports.LanguageModel` that asks the course's model as long as the course has tokens left today.

    Beyond that it is `UpstreamFailed`, so that answers are written without a model and say so. A call under
    way counts as its estimated prompt and the longest answer, so a course goes beyond by less than one call,
    however many it has at once in this process.
    """

    def __init__(
        self,
        models: Mapping[str, LanguageModel],
        *,
        terms: Callable[[CourseId], tuple[str | None, int | None]],
        answer_tokens: int,
        used: Callable[[CourseId], int],
    ) -> None:
        """The first of the `models` answers for a course that names none of them, and for no course.

        `terms` gives the name of a course's model, if any, and its tokens a day, None for any number; `used`
        the tokens of its ended calls today; `answer_tokens` is the longest answer.
        """
        self._models = models
        self._usual = next(iter(models.values()))
        self._terms = terms
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
        async with self._reserving(messages, course_id) as model:
            return await model.complete(messages, course_id=course_id, schema=schema)

    async def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        async with (
            self._reserving(messages, course_id) as model,
            aclosing(model.stream(messages, course_id=course_id)) as pieces,
        ):
            async for piece in pieces:
                yield piece

    @asynccontextmanager
    async def _reserving(
        self, messages: Sequence[ChatMessage], course_id: CourseId | None
    ) -> AsyncIterator[LanguageModel]:
        call, model = object(), self._usual
        try:
            if course_id is not None:
                model = await asyncio.to_thread(self._reserve, call, course_id, message_tokens(messages))
            yield model
        finally:
            self._reserved.pop(call, None)

    def _reserve(self, call: object, course_id: CourseId, prompt_tokens: int) -> LanguageModel:
        """The model of a course, with the tokens of a call reserved, one call after the other.

        The sum is taken before `used` is read, so a call that ends in between counts twice, not never.
        """
        name, most = self._terms(course_id)
        model = self._models.get(name or "", self._usual)
        if most is None:
            return model
        with self._lock:
            reserved = sum(n for course, n in tuple(self._reserved.values()) if course == course_id)
            if self._used(course_id) + reserved >= most:
                raise UpstreamFailed(Fault("model.spent"))
            self._reserved[call] = (course_id, prompt_tokens + self._answer_tokens)
        return model
