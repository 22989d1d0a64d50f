"""Passages: a document's blocks packed up to a length, never across a heading."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from knowledge.cutting import cut_block
from knowledge.sources.subtitles import join_speech
from vta.headings import is_furniture
from vta.places import document_name
from vta.types import Block, Course, Locator, PairId, QAPair, Source, SourceDocument

LONGEST_PASSAGE = 1000
"""Characters; habits of the course-notes bot."""
LONGEST_SPEECH = 400
"""Characters of a subtitle passage, about a minute of speech."""
_LEADS = (":", "：")


def split(document: SourceDocument, *, course: Course) -> tuple[QAPair, ...]:
    """The passages of a document as pairs (heading path, passage), in reading order.

    The heading path of the pair's question is without headings that say nothing, see `is_furniture`; the
    locator has them all.

    A passage holds whole blocks under one heading path, at most `LONGEST_PASSAGE` characters, and what ends
    with a colon stays with what follows. A longer block is cut, see `cut_block`.
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
        question=_subject(locator.heading_path, document) or document_name(document.path, course.language),
        answer=text,
        domains=course.domains,
        document=document.path,
        locator=locator,
    )


def is_titled(document: SourceDocument) -> bool:
    """Whether the title is the document's own, not its file's name."""
    return document.title != PurePosixPath(document.path).stem


def _subject(headings: tuple[str, ...], document: SourceDocument) -> str:
    """The heading path that is ranked; the title stands for headings that would fit any document."""
    said = tuple(heading for heading in headings if not is_furniture(heading))
    named = is_titled(document) and not is_furniture(document.title)
    if said[:1] != headings[:1] and named and document.title not in said:
        said = (document.title, *said)
    return " > ".join(said or headings) or (document.title if is_titled(document) else "")


def _pack(pieces: list[Block]) -> Iterator[tuple[str, Locator]]:
    text = ""
    last = ""
    locator = Locator()
    for piece in pieces:
        joined = _join(text, piece)
        same = bool(text) and _same_place(locator, piece.locator)
        if same and len(joined) <= _limit(piece):
            text, last, locator = joined, piece.text, _span(locator, piece.locator)
            continue
        leads = (
            same and text != last and last.endswith(_LEADS) and len(last) + len(piece.text) < LONGEST_PASSAGE
        )
        if text:
            yield text.removesuffix(last).rstrip() if leads else text, locator
        text = _join(last, piece) if leads else piece.text
        last, locator = piece.text, piece.locator
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
    for piece in cut_block(block.text, LONGEST_PASSAGE):
        yield Block(text=piece, locator=block.locator)
