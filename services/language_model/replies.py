"""A streamed answer on its way: its first word awaited apart, so that another model can still be asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from openai import AsyncStream
from openai._streaming import ServerSentEvent

from services.language_model.failures import (
    BROKEN_OFF,
    CUT_SHORT,
    EMPTY,
    ENDLESS,
    GARBAGE,
    WITHHELD,
    Failure,
    causes,
    failure_of,
)
from services.language_model.visible import VisibleText
from vta.types.language_model import Completion

CONTENT_FILTER, LENGTH = "content_filter", "length"
_THOUGHTS = ("reasoning_content", "reasoning")


class Habit(Enum):
    """How a model's replies begin, learned from its first one."""

    UNKNOWN = 0
    SPEAKS = 1
    """With the answer, or with a mark before the thoughts."""
    THINKS = 2
    """With thoughts that end with a closing mark and begin with none."""


class Chunks(AsyncStream[object]):
    """A stream that knows whether the server said `[DONE]`."""

    done = False

    async def _iter_events(self) -> AsyncIterator[ServerSentEvent]:
        async for event in super()._iter_events():
            self.done = self.done or event.data.startswith("[DONE]")
            yield event


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens of an answer, as the server counts."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedPiece:
    """A further piece of a streamed answer; `finish` is why the answer ends here, if it does."""

    text: str
    finish: str | None = None
    thought: bool = False
    """The piece has a thought in a separate field."""


@dataclass(slots=True)
class StreamedAnswer:
    """An answer as it comes in, chunk by chunk.

    It is whole once a chunk gave its finish reason; what follows, a count of tokens or a broken line, is not
    missed. Thoughts are left out. Blanks are held back until a word comes, so an empty answer shows nothing.
    An answer that was cut, or grew over `longest` characters, is never whole.
    """

    longest: int = 1_000_000
    habit: Habit = Habit.SPEAKS
    finished: bool = False
    tokens: Tokens | None = None
    lives: bool = False
    """The last chunk held text or a thought."""
    visible: VisibleText = field(init=False)
    _begun: bool = False
    _cut: bool = False
    _length: int = 0
    _spoken: bool = False
    _held: str = ""

    def __post_init__(self) -> None:
        self.visible = VisibleText(held=self.habit is not Habit.SPEAKS)

    def add(self, chunk: object) -> str | Failure:
        """The text that may be shown now that this chunk came, possibly none."""
        self.tokens = read_tokens(chunk) or self.tokens
        if self.finished:
            return ""
        piece = chunk if isinstance(chunk, Failure) else read_piece(chunk)
        if isinstance(piece, Failure):
            return piece
        self._begun = True
        self.lives = piece.thought or bool(piece.text)
        self.visible.held = self.visible.held and not piece.thought
        self._length += len(piece.text)
        if self._length > self.longest:
            return ENDLESS
        shown = self.visible.add(piece.text)
        if self.visible.broken:
            return GARBAGE
        self.finished = piece.finish is not None
        self._cut = piece.finish == LENGTH
        return self._show(shown)

    def _show(self, shown: str) -> str | Failure:
        if self.finished:
            shown += self.visible.end(thought_held=self._cut and self.habit is Habit.THINKS)
        text = self._held + shown
        self._spoken = self._spoken or bool(text.strip())
        self._held = "" if self._spoken else text
        return EMPTY if self.finished and not self._spoken else text if self._spoken else ""

    def end(self, *, done: bool = False) -> str | Failure:
        """End the stream: the rest of the text, or a failure if it came too soon.

        `done` says that the server said itself that this is the end.
        """
        if self.finished:
            return CUT_SHORT if self._cut else ""
        if self._begun and done:
            self.finished = True
            return self._show("")
        return BROKEN_OFF if self._begun else GARBAGE


def read_completion(
    reply: object, *, model: str, longest: int = 1_000_000, visible: VisibleText | None = None
) -> Completion | Failure:
    """The answer in a reply; `model` is the name asked for, used where the server names none."""
    choice = _first_choice(reply)
    text = _text_of(_at(_at(choice, "message"), "content"))
    if choice is None or text is None:
        return GARBAGE
    if _at(choice, "finish_reason") == CONTENT_FILTER:
        return WITHHELD
    visible = visible or VisibleText(held=True)
    is_cut = _at(choice, "finish_reason") == LENGTH
    text = visible.add(text) + visible.end()
    if not text or text.isspace():
        return EMPTY
    if is_cut:
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
    if isinstance(chunk, Mapping) and chunk.get("choices") in ([], None):
        return StreamedPiece(text="")
    choice = _first_choice(chunk)
    delta, finish = _at(choice, "delta"), _at(choice, "finish_reason")
    text = _text_of(_at(delta, "content"))
    if choice is None or text is None or not isinstance(finish, str | None):
        return GARBAGE
    if finish == CONTENT_FILTER:
        return WITHHELD
    is_thought = any(_at(delta, name) for name in _THOUGHTS)
    return StreamedPiece(text=well_formed(text), finish=finish or None, thought=is_thought)


def _text_of(content: object) -> str | None:
    """The text of a content, which may be a list of blocks; None where it is none."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return None
    blocks = [each if isinstance(each, str) else _at(each, "text") for each in content]
    return "".join(text for text in blocks if isinstance(text, str))


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

    def __init__(
        self, chunks: Chunks, *, longest: int, habit: Habit, silence_s: float, deadline: float
    ) -> None:
        """`silence_s` is the longest time between two pieces, `deadline` that of the whole answer."""
        self._chunks = chunks
        self.read = StreamedAnswer(longest=longest, habit=habit)
        """The chunks so far."""
        self._silence_s = silence_s
        self._deadline = deadline
        self._first = ""

    async def begin(self, until: float) -> str | Failure:
        """Wait for the first word, which `pieces` repeats, or the failure that comes instead.

        Each thought before it puts `until` off.
        """
        while not self._first and not self.read.finished:
            chunk = await self._next(until)
            text = self._end() if chunk is None else self.read.add(chunk)
            if isinstance(text, Failure):
                return text
            self._first = text
            if self.read.lives:
                until = max(until, self._until())
        return self._first

    async def pieces(self) -> AsyncGenerator[str | Failure, None]:
        """The pieces from the first on; a failure is the last of them."""
        yield self._first
        until = self._until()
        while (chunk := await self._next(until)) is not None:
            text = self.read.add(chunk)
            if text:
                yield text
            if isinstance(text, Failure):
                return
            if self.read.lives or self.read.finished:
                until = self._until()
        if ending := self._end():
            yield ending

    def _until(self) -> float:
        """When the next piece must be there."""
        return min(self._deadline, now() + (GOODBYE_S if self.read.finished else self._silence_s))

    def _end(self) -> str | Failure:
        return self.read.end(done=self._chunks.done)

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
            if self.read.finished:
                return None
            log_kinds(error)
            return failure_of(error, begun=True)


def log_kinds(error: BaseException) -> None:
    """Log which kinds of exceptions stand behind a failure, and none of their words."""
    logger.info("language model: %s", " from ".join(type(each).__name__ for each in causes(error)))


def now() -> float:
    """The event loop's seconds, which deadlines are given in."""
    return asyncio.get_running_loop().time()
