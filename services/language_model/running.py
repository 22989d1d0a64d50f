"""A streamed answer on its way: its first word awaited apart, so that another model can still be asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final

from openai import AsyncStream

from services.language_model.failures import Failure, break_of
from services.language_model.replies import StreamedAnswer, Tokens

logger = logging.getLogger(__name__)

GOODBYE_S: Final = 0.25
"""How long a stream may take to end after the last piece that is wanted of it; one that was read to its end
leaves a connection that can be used again."""


class RunningAnswer:
    """The chunks of one answer. `close` in every case, and once only."""

    def __init__(self, chunks: AsyncStream[object], *, longest: int) -> None:
        self._chunks = chunks
        self._answer = StreamedAnswer(longest=longest)
        self._first = ""

    @property
    def tokens(self) -> Tokens | None:
        """What the server counted so far; most count at the end."""
        return self._answer.tokens

    async def begin(self, until: float) -> str | Failure:
        """Wait for the first word, which is kept for `pieces`, or the failure that comes instead."""
        while not self._first and not self._answer.finished:
            chunk = await self._next(until)
            text = self._answer.end() if chunk is None else self._answer.add(chunk)
            if isinstance(text, Failure) or chunk is None:
                return text
            self._first = text
        return self._first

    async def pieces(self, deadline: float) -> AsyncGenerator[str | Failure, None]:
        """The pieces from the first on; a failure is the last of them."""
        yield self._first
        if self._answer.finished:
            deadline = min(deadline, now() + GOODBYE_S)
        while (chunk := await self._next(deadline)) is not None:
            text = self._answer.add(chunk)
            if text:
                yield text
            if isinstance(text, Failure):
                return
            if self._answer.finished:
                deadline = min(deadline, now() + GOODBYE_S)
        if ending := self._answer.end():
            yield ending

    async def close(self) -> None:
        """Close the connection to the server, or give it back where the stream was read to its end.

        What reads it in the client's libraries ends here as well: left to the garbage collection, it may
        outlive the event loop.
        """
        await self._chunks.close()
        with suppress(Exception):
            async with asyncio.timeout(GOODBYE_S):
                while await anext(self._chunks, None) is not None:
                    pass

    async def _next(self, deadline: float) -> object | Failure | None:
        """The next chunk, None at the end or once nothing more is needed."""
        try:
            # One timeout a step: held across a `yield`, it would cancel the reader's own code.
            async with asyncio.timeout_at(deadline):
                return await anext(self._chunks, None)
        except Exception as error:
            if self._answer.finished:
                return None
            log_kinds(error)
            return break_of(error)


def log_kinds(error: BaseException) -> None:
    """Log which kinds of exceptions stand behind a failure, and none of their words."""
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < 8:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    logger.info("language model: %s", " from ".join(kinds))


def now() -> float:
    """The event loop's seconds, which deadlines are given in."""
    return asyncio.get_running_loop().time()
