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
_LONGEST_CODE = 700
"""Columns of a block of code that is quoted whole."""
_FENCED = re.compile(r"(`+.*\n)([\s\S]*)(\n`+)")
_GAP = re.compile(r"\n\s*\n(?=\S)")


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
            parts = _code_parts(text) if kind is UnitKind.CODE else [text]
            pieces += [Piece(kind, part, block) for part in parts]
            continue
        for paragraph in re.split(r"\n\s*\n| {2}\n", text):
            block += 1
            pieces += [Piece(kind, sentence, block) for sentence in split_sentences(paragraph)]
    return tuple(piece for piece in pieces if escape_unit(piece.kind, piece.text))


def _code_parts(block: str) -> list[str]:
    """A wall of code in paragraphs of its outermost level, without one that begins inside a block; other code
    whole.
    """
    shown = _FENCED.fullmatch(escape_unit(UnitKind.CODE, block))
    if shown is None or columns(shown[2]) <= _LONGEST_CODE:
        return [block]
    first, *others = _GAP.split(shown[2])
    parts = others if others and first[0].isspace() else [first, *others]
    return [f"{shown[1]}{part}{shown[3]}" for part in parts]


def complete(pieces: Sequence[Piece], chosen: Iterable[int]) -> set[int]:
    """The chosen places with those that they cannot stand without.

    A unit goes with the sentence that introduces it, output with the code before it, a sentence that ends at
    a colon with what follows it, and one that begins with a pronoun or a connective with the sentence before
    (two at most).
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
    comes before, with what that cannot stand without. A piece that is wider alone is there whole.
    """
    places = complete(pieces, [best])
    for turn in count():
        start, stop = min(places), max(places) + 1
        after = [{stop}] if stop < len(pieces) else []
        before = [complete(pieces, [start - 1])] if start else []
        grown = [{*range(start, stop), *beside} for beside in (*after, *before)]
        fitting = [each for each in grown if sum(pieces[place].width for place in each) <= width]
        if not fitting:
            return range(start, stop)
        places = fitting[-1 if turn % 3 == 2 else 0]
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
        goes_on = blocks and pieces[place - 1].block == piece.block
        if goes_on and piece.kind is UnitKind.CODE:  # without the fence between them
            blocks[-1] = [blocks[-1][0].rpartition("\n")[0] + "\n\n" + shown.partition("\n")[2]]
        elif goes_on:
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
    return before.kind is UnitKind.SENTENCE or (
        piece.kind is before.kind is UnitKind.CODE and piece.block != before.block
    )
