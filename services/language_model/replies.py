"""Reads what a language model server sent, as parsed JSON of which no part is trusted to have its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.language_model.failures import (
    BROKEN_OFF,
    CUT_SHORT,
    EMPTY,
    ENDLESS,
    GARBAGE,
    WITHHELD,
    Failure,
)
from vta.types import Completion

CONTENT_FILTER, LENGTH = "content_filter", "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What an answer cost, as the server counts."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
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


def read_piece(chunk: object) -> Piece | Failure:
    """The piece in a chunk of a stream; chunks that only count tokens hold the empty piece."""
    if _at(chunk, "choices") == []:
        return Piece(text="")
    choice = _first_choice(chunk)
    text, finish = _at(_at(choice, "delta"), "content"), _at(choice, "finish_reason")
    if choice is None or not isinstance(text, str | None) or not isinstance(finish, str | None):
        return GARBAGE
    if finish == CONTENT_FILTER:
        return WITHHELD
    return Piece(text=well_formed(text or ""), finish=finish or None)


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
