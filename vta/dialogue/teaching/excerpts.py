"""Excerpts of a passage that can stand alone: whole sentences and units, with what they rest on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count

from prompts.markdown import escape_unit, join_sentences, split_sentences
from vta.patterns import read_patterns
from vta.units import UnitKind, split_units

WORDS = read_patterns("vta.dialogue", "words.toml", "teaching", flags=re.IGNORECASE)
"""How sentences begin and what they say by their words."""
_COLON = re.compile(r"[:：]\W*$")
_LONGEST_LEAN = 2


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
    """The pieces of a Markdown passage in order, without what cannot be shown safely."""
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


def complete(pieces: Sequence[Piece], chosen: Iterable[int]) -> set[int]:
    """The chosen places with those that they cannot stand without.

    A unit goes with the sentence that introduces it, a sentence that ends at a colon with what follows it,
    and one that begins with a pronoun or a connective with the sentence before (two at most).
    """
    places = set(chosen)
    for place in sorted(places):
        while place + 1 < len(pieces) and _COLON.search(pieces[place].text):
            place += 1
            places.add(place)
    for place in sorted(places):
        for _ in range(_LONGEST_LEAN):
            if place == 0 or not _leans_back(pieces[place], pieces[place - 1]):
                break
            place -= 1
            places.add(place)
    return places


def window(pieces: Sequence[Piece], best: int, width: int) -> range:
    """The places of one contiguous excerpt of at most `width` columns around the piece at `best`.

    It has all that the piece cannot stand without, then grows by what follows twice as often as by what
    comes before. A piece that is wider alone is there whole.
    """
    chosen = complete(pieces, [best])
    start, stop = min(chosen), max(chosen) + 1
    used = sum(piece.width for piece in pieces[start:stop])
    for turn in count():
        beside = [place for place in (stop, start - 1) if 0 <= place < len(pieces)]
        fitting = [place for place in beside if used + pieces[place].width <= width]
        if not fitting:
            return range(start, stop)
        place = fitting[-1 if turn % 3 == 2 else 0]
        used += pieces[place].width
        start, stop = min(start, place), max(stop, place + 1)
    raise AssertionError("a passage ends")


def show_pieces(pieces: Sequence[Piece], places: range, mark: str) -> str:
    """Neighbouring pieces as Markdown, escaped, in their paragraphs.

    `mark` stands behind the last sentence, else in a line of its own.
    """
    prose = [place for place in places if pieces[place].kind is UnitKind.SENTENCE]
    blocks: list[list[str]] = []
    for place in places:
        piece = pieces[place]
        shown = escape_unit(piece.kind, piece.text) + (mark if prose and place == prose[-1] else "")
        if blocks and piece.kind is UnitKind.SENTENCE and pieces[place - 1].block == piece.block:
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


def _leans_back(piece: Piece, before: Piece) -> bool:
    if piece.kind is UnitKind.SENTENCE:
        return WORDS["leans_back"].match(piece.text) is not None
    return before.kind is UnitKind.SENTENCE
