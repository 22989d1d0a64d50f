"""A transcript in chunks that fit a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vta.errors import LimitExceeded
from vta.faults import Fault

Count = Callable[[str], int]
SMALLEST_CHUNK = 32
"""Tokens. A language model that has less room than this beside its prompt cannot read a transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something said, or a paragraph, and the second at which it begins where that is known."""

    text: str
    start_s: float | None = None
    video: str | None = None


def chunk_size(*, limit: int, output: int, prompt: int) -> int:
    """Chunk size = token limit - output size - prompt size, in tokens; `LimitExceeded` for too little."""
    size = limit - output - prompt
    if size < SMALLEST_CHUNK:
        raise LimitExceeded(
            Fault(
                "transcript.no_room",
                prompt=prompt,
                output=output,
                size=size,
                limit=limit,
                needed=SMALLEST_CHUNK,
            )
        )
    return size


def cut(lines: Iterable[Line], *, size: int, count: Count) -> Iterator[tuple[Line, ...]]:
    """The lines in order, as many to a chunk as `size` tokens hold; only a line longer than that is cut.

    `count` is asked for each line by itself, with the line break before it where there is one.
    """
    chunk: list[Line] = []
    used = 0
    for line in lines:
        for part in _fit(line, size, count):
            tokens = count(f"\n{part.text}")
            if chunk and used + tokens > size:
                yield tuple(chunk)
                chunk, used = [], 0
            used += tokens if chunk else count(part.text)
            chunk.append(part)
    if chunk:
        yield tuple(chunk)


def text_of(chunk: Sequence[Line]) -> str:
    """The words of a chunk, a line each."""
    return "\n".join(line.text for line in chunk)


def _fit(line: Line, size: int, count: Count) -> Iterator[Line]:
    """The line, or its halves and their halves where it is too long; cut at a blank where there is one."""
    text = line.text.strip()
    if not text:
        return
    if count(text) <= size or len(text) == 1:
        yield replace(line, text=text)
        return
    middle = len(text) // 2
    blank = text.find(" ", middle)
    at = blank if middle <= blank < middle + 40 and blank + 1 < len(text) else middle
    for half in (text[:at], text[at:]):
        yield from _fit(replace(line, text=half), size, count)
