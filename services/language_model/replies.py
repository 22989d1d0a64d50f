"""A streamed answer on its way: its first word awaited apart, so that another model can still be asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from openai import AsyncStream

from services.language_model.failures import (
    BROKEN_OFF,
    CUT_SHORT,
    EMPTY,
    ENDLESS,
    GARBAGE,
    WITHHELD,
    Failure,
    break_of,
)
from vta.types.language_model import Completion

CONTENT_FILTER, LENGTH = "content_filter", "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What an answer cost, as the server counts."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedPiece:
    """A further piece of a streamed answer; `finish` is why the answer ends here, if it does."""

    text: str
    finish: str | None = None


@dataclass(slots=True)
class StreamedAnswer:
    """An answer as it comes in, chunk by chunk.

    It is whole once a chunk gave its finish reason; what follows, a count of tokens or a broken line, is
    not missed. Blanks are held back until a word comes, so an empty answer shows nothing. An answer that was
    cut, or grew over `longest` characters, is never whole.
    """

    longest: int = 1_000_000
    finished: bool = False
    tokens: Tokens | None = None
    _begun: bool = False
    _cut: bool = False
    _length: int = 0
    _spoken: bool = False
    _held: str = ""

    def add(self, chunk: object) -> str | Failure:
        """What may be shown now that this chunk came, possibly nothing."""
        self.tokens = read_tokens(chunk) or self.tokens
        if self.finished:
            return ""
        piece = chunk if isinstance(chunk, Failure) else read_piece(chunk)
        if isinstance(piece, Failure):
            return piece
        self._begun = True
        self.finished = piece.finish is not None
        self._cut = piece.finish == LENGTH
        self._length += len(piece.text)
        if self._length > self.longest:
            return ENDLESS
        text = self._held + piece.text
        self._spoken = self._spoken or bool(text.strip())
        self._held = "" if self._spoken else text
        return EMPTY if self.finished and not self._spoken else text if self._spoken else ""

    def end(self) -> str | Failure:
        """What the end of the stream means: nothing more, or a failure if it came too soon."""
        if self.finished:
            return CUT_SHORT if self._cut else ""
        return BROKEN_OFF if self._begun else GARBAGE


def read_completion(reply: object, *, model: str, longest: int = 1_000_000) -> Completion | Failure:
    """The answer in a reply; `model` is the name asked for, used where the server names none."""
    choice = _first_choice(reply)
    text = _at(_at(choice, "message"), "content")
    if choice is None or not isinstance(text, str | None):
        return GARBAGE
    if _at(choice, "finish_reason") == CONTENT_FILTER:
        return WITHHELD
    if not text or text.isspace():
        return EMPTY
    if _at(choice, "finish_reason") == LENGTH:
        return CUT_SHORT
    if len(text) > longest:
        return ENDLESS
    named = _at(reply, "model")
    tokens = read_tokens(reply) or Tokens(prompt=0, completion=0)
    return Completion(
        text=well_formed(text),
        model=named if isinstance(named, str) and named else model,
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
    )


def read_tokens(reply: object) -> Tokens | None:
    """The tokens that a reply or a chunk counts, None where it counts none."""
    usage = _at(reply, "usage")
    tokens = Tokens(
        prompt=_count(_at(usage, "prompt_tokens")), completion=_count(_at(usage, "completion_tokens"))
    )
    return tokens if tokens.prompt or tokens.completion else None


def read_piece(chunk: object) -> StreamedPiece | Failure:
    """The piece in a chunk of a stream; chunks that only count tokens hold the empty piece."""
    if _at(chunk, "choices") == []:
        return StreamedPiece(text="")
    choice = _first_choice(chunk)
    text, finish = _at(_at(choice, "delta"), "content"), _at(choice, "finish_reason")
    if choice is None or not isinstance(text, str | None) or not isinstance(finish, str | None):
        return GARBAGE
    if finish == CONTENT_FILTER:
        return WITHHELD
    return StreamedPiece(text=well_formed(text or ""), finish=finish or None)


def well_formed(text: str) -> str:
    """The text with each lone surrogate, which no encoding can carry, replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first_choice(reply: object) -> object | None:
    choices = _at(reply, "choices")
    return choices[0] if isinstance(choices, list) and choices else None


def _at(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


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
