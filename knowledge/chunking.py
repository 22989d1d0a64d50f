"""Passages: a document's blocks packed up to a length, never across a heading."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from knowledge.sources.subtitles import join_speech
from vta.types import Block, Course, Locator, PairId, QAPair, Source, SourceDocument

LONGEST_PASSAGE = 1000
"""Characters; habits of the course-notes bot."""
LONGEST_SPEECH = 400
"""Characters of a subtitle passage, about a minute of speech."""

# Pieces keep their white space, to be joined to passages again; `vta.dialogue.sentences` drops it.
_SENTENCE = re.compile(r".*?(?:[。！？!?]+[”’\"')）]*|\.(?=\s)|\n|$)")


def split(document: SourceDocument, *, course: Course) -> tuple[QAPair, ...]:
    """The passages of a document as pairs (heading path, passage), in reading order.

    A passage holds whole blocks under one heading path, at most `LONGEST_PASSAGE` characters. A longer block
    is cut between lines or sentences, and only a line that is longer by itself is cut anywhere.
    """
    passages = _pack([piece for block in document.blocks for piece in _pieces(block)])
    return tuple(
        _pair(text, locator, document, course, number)
        for number, (text, locator) in enumerate(passages, start=1)
    )


def pair_id(*parts: str) -> PairId:
    """A stable id: the same place in the same document of the same course."""
    return PairId(hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:20])


def _pair(text: str, locator: Locator, document: SourceDocument, course: Course, number: int) -> QAPair:
    return QAPair(
        id=pair_id(course.id, document.path, str(number)),
        course_id=course.id,
        source=Source.MATERIAL,
        question=" > ".join(locator.heading_path) or document.title,
        answer=text,
        domains=course.domains,
        document=document.path,
        locator=locator,
    )


def _pack(pieces: list[Block]) -> Iterator[tuple[str, Locator]]:
    text = ""
    locator = Locator()
    for piece in pieces:
        joined = _join(text, piece)
        if text and (_same_place(locator, piece.locator) and len(joined) <= _limit(piece)):
            text, locator = joined, _span(locator, piece.locator)
            continue
        if text:
            yield text, locator
        text, locator = piece.text, piece.locator
    if text:
        yield text, locator


def _join(text: str, piece: Block) -> str:
    return join_speech(text, piece.text) if piece.locator.video else f"{text}\n\n{piece.text}"


def _limit(piece: Block) -> int:
    return LONGEST_SPEECH if piece.locator.video else LONGEST_PASSAGE


def _same_place(one: Locator, other: Locator) -> bool:
    """Whether both are under one heading, on one page or in one video, where time goes on."""
    if one.start_s is not None and other.start_s is not None and other.start_s <= one.start_s:
        return False  # another transcript of the video begins
    return (one.heading_path, one.page, one.video) == (other.heading_path, other.page, other.video)


def _span(first: Locator, last: Locator) -> Locator:
    return Locator(
        heading_path=first.heading_path,
        page=first.page,
        video=first.video,
        start_s=first.start_s,
        end_s=last.end_s,
    )


def _pieces(block: Block) -> Iterator[Block]:
    """The block itself, or cut to size where it is too long."""
    if len(block.text) <= LONGEST_PASSAGE:
        if block.text.strip():
            yield block
        return
    piece = ""
    for sentence in _sentences(block.text):
        if len(piece) + len(sentence) > LONGEST_PASSAGE:
            if piece.strip():
                yield Block(text=piece.strip("\n"), locator=block.locator)
            piece = ""
        piece += sentence
    if piece.strip():
        yield Block(text=piece.strip("\n"), locator=block.locator)


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        for start in range(0, len(sentence), LONGEST_PASSAGE):
            yield sentence[start : start + LONGEST_PASSAGE]
