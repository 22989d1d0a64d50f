"""Passages: blocks packed up to a length, never across a heading; speech is cut where its topic turns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import groupby, pairwise
from pathlib import PurePosixPath

from knowledge.sources.inline_marks import DISPLAYED
from knowledge.sources.subtitles import join_sentences, part_topics
from vta.headings import is_boilerplate
from vta.places import document_name
from vta.sentences import sentence_ends
from vta.types.answers import Block
from vta.types.courses import Course, PairId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator, QAPair, Source

LONGEST_PASSAGE = 1000
"""Characters; habits of the course-notes bot."""
LONGEST_SPEECH = 1800
"""Letters of a subtitle passage, about two minutes of speech, see `spoken_length`."""
_LEADS = (":", "：")
_FENCE = re.compile(
    r"(?P<opening>[ \t]*(?P<ticks>`{3,}|~{3,})[^\n]*\n)"
    r"(?P<code>[\s\S]*?)\n?(?P<closing>[ \t]*(?P=ticks)[ \t]*)?\Z"
)
_TABLE = re.compile(
    r"(?P<head>[^\n]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?\n)(?P<rows>[\s\S]+)\Z"
)
_MOST_LINES = 80
_WRAPPED = re.compile(r"(?<=\n)(?![a-z])")
"""Between two lines of which the second begins no word in the middle of a sentence."""
_UNIT = re.compile(
    rf"^[ \t]*(?P<ticks>`{{3,}}|~{{3,}})[^`\n]*\n(?:.*\n){{0,{_MOST_LINES}}}?[ \t]*(?P=ticks)[ \t]*(?:\n|\Z)"
    rf"|^[ \t]*{DISPLAYED}[ \t]*(?:\n|\Z)"
    rf"|(?:^[ \t]*\|.*(?:\n|\Z)){{2,{_MOST_LINES}}}",
    re.MULTILINE,
)


def split(document: SourceDocument, *, course: Course) -> tuple[QAPair, ...]:
    """The passages of a document as pairs (heading path, passage), in reading order.

    The heading path of the pair's question is without headings that say nothing, see `is_boilerplate`; the
    locator has them all.

    A passage holds whole blocks under one heading path, at most `LONGEST_PASSAGE` characters, and what ends
    with a colon stays with what follows. A longer block is cut between sentences and lines; code, tables and
    formulas last of all. The sentences of a video become passages of one topic each, see `part_topics`.
    """
    pieces = [piece for block in document.blocks for piece in _pieces(block)]
    passages = (
        passage
        for spoken, run in groupby(pieces, key=lambda piece: piece.locator.video is not None)
        for passage in (_part(run) if spoken else _pack(run))
    )
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
    """True if the title is the document's own, not its file's name."""
    return document.title != PurePosixPath(document.path).stem


def _subject(headings: tuple[str, ...], document: SourceDocument) -> str:
    """The heading path that is ranked; the title stands for headings that would fit any document."""
    said = tuple(heading for heading in headings if not is_boilerplate(heading))
    named = is_titled(document) and not is_boilerplate(document.title)
    if said[:1] != headings[:1] and named and document.title not in said:
        said = (document.title, *said)
    return " > ".join(said or headings) or (document.title if is_titled(document) else "")


def _part(sentences: Iterable[Block]) -> Iterator[tuple[str, Locator]]:
    """The passages of what is said in videos."""
    for talk in _talks(sentences):
        for part in part_topics([sentence.text for sentence in talk], longest=LONGEST_SPEECH):
            said = talk[part.start : part.stop]
            text = reduce(join_sentences, (sentence.text for sentence in said))
            yield text, replace(said[0].locator, end_s=said[-1].locator.end_s)


def _talks(sentences: Iterable[Block]) -> Iterator[list[Block]]:
    """The sentences of each transcript: one video's, up to where its times start over."""
    talk: list[Block] = []
    for sentence in sentences:
        here, first = sentence.locator, (talk or [sentence])[0].locator
        same = (here.heading_path, here.video) == (first.heading_path, first.video)
        if talk and not (same and (here.start_s or 0.0) > (first.start_s or 0.0)):
            yield talk
            talk = []
        talk.append(sentence)
    if talk:
        yield talk


def _pack(pieces: Iterable[Block]) -> Iterator[tuple[str, Locator]]:
    text = ""
    last = ""
    locator = Locator()
    for piece in pieces:
        joined = f"{text}\n\n{piece.text}"
        same = bool(text) and locator == piece.locator
        if same and len(joined) <= LONGEST_PASSAGE:
            text, last = joined, piece.text
            continue
        leads = (
            same and text != last and last.endswith(_LEADS) and len(last) + len(piece.text) < LONGEST_PASSAGE
        )
        if text:
            yield text.removesuffix(last).rstrip() if leads else text, locator
        text = f"{last}\n\n{piece.text}" if leads else piece.text
        last, locator = piece.text, piece.locator
    if text:
        yield text, locator


def _pieces(block: Block) -> Iterator[Block]:
    """The block itself, or cut to size where it is too long."""
    if len(block.text) <= LONGEST_PASSAGE:
        if block.text.strip():
            yield block
        return
    for piece in _cut_block(block.text, LONGEST_PASSAGE):
        yield Block(text=piece, locator=block.locator)


def _cut_block(text: str, longest: int) -> Iterator[str]:
    """Pieces of a block, at most `longest` characters each.

    A block of code is cut between lines, if it can be where a line is not indented, and each piece is a block
    of code; a table between rows, each piece with its head. Other text is cut between sentences, lines, and
    the code, tables and formulas in it; only what is longer by itself is cut anywhere.
    """
    if fence := _FENCE.match(text):
        closing = fence["closing"] or fence["opening"].rstrip("\n").split(fence["ticks"])[0] + fence["ticks"]
        room = longest - len(fence["opening"]) - len(closing) - 1
        if room > longest // 2:
            for code in _packed(_stretches(fence["code"], room), room):
                yield f"{fence['opening']}{code}\n{closing}"
            return
    if (table := _TABLE.match(text)) and len(table["head"]) < longest // 2:
        room = longest - len(table["head"])
        for rows in _packed(_cut([table["rows"]], room), room):
            yield table["head"] + rows
        return
    yield from _packed(_units(text, longest), longest)


def _packed(units: Iterator[str], longest: int) -> Iterator[str]:
    """Neighbours joined while they fit."""
    piece = ""
    for unit in units:
        if len(piece) + len(unit) > longest:
            if piece.strip():
                yield piece.strip("\n")
            piece = ""
        piece += unit
    if piece.strip():
        yield piece.strip("\n")


def _stretches(code: str, longest: int) -> Iterator[str]:
    """Lines of code with the indented ones after them; one by one where they are too long together."""
    stretch: list[str] = []
    for line in code.splitlines(keepends=True):
        if stretch and line[:1].strip():
            yield from _cut(["".join(stretch)], longest)
            stretch = []
        stretch.append(line)
    yield from _cut(["".join(stretch)], longest)


def _cut(pieces: Iterable[str], longest: int) -> Iterator[str]:
    """The pieces, those that are too long cut between lines, and a line that is cut anywhere."""
    for piece in pieces:
        for line in piece.splitlines(keepends=True) if len(piece) > longest else (piece,):
            yield from (line[start : start + longest] for start in range(0, len(line), longest))


def _units(text: str, longest: int) -> Iterator[str]:
    """Code, tables and formulas whole where they fit, and the sentences between them."""
    at = 0
    for match in _UNIT.finditer(text):
        if len(match.group()) <= longest:
            yield from _cut(_sentences(text[at : match.start()]), longest)
            yield match.group()
            at = match.end()
    yield from _cut(_sentences(text[at:]), longest)


def _sentences(text: str) -> Iterator[str]:
    """The sentences with their line ends and the white space before them.

    A line ends one, unless the next line begins with a small letter: there prose is wrapped.
    """
    for lines in _WRAPPED.split(text):
        ends = [0, *sentence_ends(lines), len(lines)]
        yield from (lines[start:end] for start, end in pairwise(ends))
