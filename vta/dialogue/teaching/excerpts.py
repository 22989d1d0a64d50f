"""Excerpts of a passage that can stand alone: whole sentences and units, with their context."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import cycle

from prompts.markdown import escape_unit, join_sentences, split_sentences
from vta.patterns import read_patterns
from vta.units import UnitKind, split_units

WORDS = read_patterns("vta.dialogue", "words.toml", "teaching", flags=re.IGNORECASE)
"""How sentences begin and what they say by their words."""
_COLON = re.compile(r"[:：]\W*$")
_END = re.compile(r"[.!?。．！？；…][\"'”’」)）*]*$")
_LONGEST_LEAN = 500
"""Columns that a sentence leans back over: in speech each may begin with a connective."""


@dataclass(frozen=True)
class Piece:
    """A sentence as plain text, or another unit as Markdown; `block` counts paragraphs and units."""

    kind: UnitKind
    text: str
    block: int

    @cached_property
    def width(self) -> int:
        """Columns; a Chinese character takes two."""
        return columns(self.text)


@lru_cache(maxsize=4_000)  # many questions are answered from the same passages
def read_pieces(passage: str) -> tuple[Piece, ...]:
    """The pieces of a Markdown passage in order, without unsafe ones."""
    pieces: list[Piece] = []
    block = 0
    for kind, text in split_units(passage):
        if kind is not UnitKind.SENTENCE:
            block += 1
            pieces.append(Piece(kind, text, block))
            continue
        for paragraph in re.split(r"\n\s*\n| {2}\n", text):
            block += 1
            pieces += [Piece(kind, sentence, block) for sentence in split_sentences(paragraph)]
    return tuple(piece for piece in pieces if escape_unit(piece.kind, piece.text))


def complete(pieces: Sequence[Piece], place: int) -> range:
    """The piece at a place with the neighbours that it cannot stand without."""
    first = last = place
    while last + 1 < len(pieces) and _leads_in(pieces[last], pieces[last + 1]):
        last += 1
    while first and _leans_back(pieces[first], pieces[first - 1]):
        is_sentence = pieces[first].kind is UnitKind.SENTENCE
        if is_sentence and sum(piece.width for piece in pieces[first - 1 : last + 1]) > _LONGEST_LEAN:
            break
        first -= 1
    return range(first, last + 1)


def window(pieces: Sequence[Piece], best: int, width: int) -> range:
    """The places of one contiguous excerpt of at most `width` columns around the piece at `best`.

    It begins with the context that the piece needs, then grows twice as often behind as before it. A piece
    wider than the excerpt stays whole.
    """
    places, turns = complete(pieces, best), cycle((0, 0, -1))
    while fitting := [
        each for each in _longer(pieces, places) if sum(pieces[place].width for place in each) <= width
    ]:
        places = fitting[next(turns)]
    return places


def show_pieces(pieces: Sequence[Piece], places: range, mark: str) -> str:
    """Neighbouring pieces as Markdown, escaped, in their paragraphs.

    `mark` stands behind the last sentence, else in a line of its own.
    """
    prose = [place for place in places if pieces[place].kind is UnitKind.SENTENCE]
    blocks: list[list[str]] = []
    for place in places:
        piece = pieces[place]
        shown = escape_unit(piece.kind, piece.text) + (mark if prose and place == prose[-1] else "")
        if blocks and pieces[place - 1].block == piece.block:
            blocks[-1].append(shown)
        else:
            blocks.append([shown])
    text = "\n\n".join(join_sentences(block) for block in blocks)
    return text if prose else f"{text}\n\n{mark.strip()}".rstrip()


def columns(text: str) -> int:
    """The width of a text; a Chinese character takes two columns."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _longer(pieces: Sequence[Piece], places: range) -> Iterator[range]:
    """An excerpt with what follows, and with what comes before.

    It is not made to end where something that is missing is introduced, or to begin with an announcement.
    """
    if places.stop < len(pieces):
        stop = complete(pieces, places.stop).stop
        if not _COLON.search(pieces[stop - 1].text):
            yield range(places.start, stop)
    if places.start:
        start = complete(pieces, places.start - 1).start
        if not WORDS["announces"].match(pieces[start].text):
            yield range(start, places.stop)


def _leads_in(piece: Piece, after: Piece) -> bool:
    """Whether a piece ends at a colon, or is a sentence that another unit ends."""
    is_open = piece.kind is UnitKind.SENTENCE and not _END.search(piece.text)
    return _COLON.search(piece.text) is not None or (is_open and after.kind is not UnitKind.SENTENCE)


def _leans_back(piece: Piece, before: Piece) -> bool:
    if piece.kind is UnitKind.SENTENCE:
        goes_on = before.kind is not UnitKind.SENTENCE and piece.text[0].islower()
        return goes_on or WORDS["leans_back"].match(piece.text) is not None
    return before.kind in (UnitKind.SENTENCE, UnitKind.LIST) or piece.kind is before.kind is UnitKind.CODE
