"""PDF: the text of each page under the outline's headings, with the page's number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import PurePosixPath
from threading import Lock
from typing import BinaryIO

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from knowledge.sources.archive import faults_named
from knowledge.sources.pdf_layout import Line, page_lines, running_heads, text_of
from knowledge.sources.subtitles import join_speech
from knowledge.sources.text import as_item, ends_item, is_item, join_items, join_signs, without_glyphs
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import HAN
from vta.types.answers import Block, Rejection
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

MOST_PAGES = 10_000
LARGEST_PAGE = 200_000
"""Characters."""

_PDFIUM = Lock()
"""PDFium may be in one thread at a time."""
_SENTENCE_END = re.compile(r"[。．！？!?.:：;；…][\"'”’)）]*$")
_ROW = "| "
"""The first characters of a row of a table."""
_ADDRESS = re.compile(r"(?:about|data|file|https?|chrome[a-z-]*):\S*", re.IGNORECASE)
"""The titles that browsers give to pages printed without one."""
_HYPHENATED = re.compile(r"[a-z]-$")
_CUT_WORD = re.compile(r"(?P<before>(?<![\w-])[^\W\d_][\w-]{0,40})\ufffe(?P<after>\w+)")
_FIRST_PARTS = frozenset(
    "all cross double first four full half hard high large left long low lower main many mid one open real "
    "right second self short single small soft third three time top two upper user well wide".split()
)
"""Words that begin compounds which are written with a hyphen."""
_SUFFIX = re.compile(r"(?:ed|er|ers|est|ing|ings|ly|ness|en|ened|ening|ens|ish|ity|al|age|ow|th|ful)\b|i[sz]")
_CHINESE = re.compile(rf"[{HAN}\u3001-\u303f\uff01-\uff65“”‘’]")
_BLANK_BESIDE_CHINESE = re.compile(rf"(?<={_CHINESE.pattern}) | (?={_CHINESE.pattern})")
_SPACED = re.compile(r"(?<!\S)\S(?: \S){2,}(?!\S)|^\S \S$")
_DEEPEST_OUTLINE = 6


def read_pdf(file: BinaryIO, *, path: str) -> SourceDocument:
    """One block a paragraph, `page` counting from 1; a page that cannot be read is among `rejected`.

    Raises `InvalidInput` for a file that is damaged, needs a password, or has no text at all (scanned pages).
    """
    blocks: list[Block] = []
    rejected: list[Rejection] = []
    with _PDFIUM, faults_named(path, "PDF"), closing(_open(file, path)) as document:
        if len(document) > MOST_PAGES:
            raise InvalidInput(Fault("file.too_many_pages", count=len(document), most=MOST_PAGES).at(path))
        title = _title(document) or PurePosixPath(path).stem
        headings = _outline(document)
        pages: dict[int, list[Line]] = {}
        for n in range(len(document)):
            try:
                pages[n] = _lines(document, n)
            except (pypdfium2.PdfiumError, UnicodeError, InvalidInput) as error:
                reason = error.fault if isinstance(error, InvalidInput) else str(error)
                fault = Fault("file.unreadable", reason=reason).at(path, page=n + 1)
                rejected.append(Rejection(path=path, fault=fault))
        heads = running_heads(pages.values())
        above: tuple[str, ...] = ()
        for n in range(len(document)):
            above = headings.get(n, above)
            label = document.get_page_label(n)
            place = Locator(
                heading_path=above, page=n + 1, page_label=None if label in ("", str(n + 1)) else label
            )
            texts = paragraphs(text_of(pages.get(n, []), heads))
            blocks += (Block(text=each, locator=place) for each in texts)
    if not blocks:
        raise InvalidInput(rejected[0].fault if rejected else Fault("file.scanned").at(path))
    return SourceDocument(path=path, title=title, blocks=tuple(blocks), rejected=tuple(rejected))


def paragraphs(text: str) -> Iterator[str]:
    """The lines of a page as paragraphs, which end with a sentence at the end of a line, and lists."""
    yield from map(without_glyphs, join_items(_joined(text)))


def _joined(text: str) -> Iterator[str]:
    """Paragraphs, and each item of a list."""
    paragraph = ""
    lines = join_signs("\n".join(text.splitlines())).split("\n")
    for line in (_SPACED.sub(_unspaced, " ".join(line.split())) for line in lines):
        if paragraph and (is_item(line) or ends_item(paragraph, line)):
            yield paragraph
            paragraph = as_item(line)
        elif not line and paragraph:
            yield paragraph
            paragraph = ""
        elif line.startswith(_ROW) and paragraph.startswith(_ROW):
            paragraph = f"{paragraph}\n{line}"
        elif _HYPHENATED.search(paragraph):
            paragraph = _CUT_WORD.sub(_whole_word, f"{paragraph[:-1]}\ufffe{line}").replace("\ufffe", "")
        else:
            paragraph = join_speech(paragraph, as_item(line))
        if _SENTENCE_END.search(paragraph) and not paragraph.startswith(_ROW):
            yield paragraph
            paragraph = ""
    if paragraph:
        yield paragraph


def _open(file: BinaryIO, path: str) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == FPDF_ERR_PASSWORD:
            raise InvalidInput(Fault("file.encrypted").at(path)) from error
        raise


def _lines(document: pypdfium2.PdfDocument, n: int) -> list[Line]:
    with closing(document[n]) as page, closing(page.get_textpage()) as text_page:
        if text_page.count_chars() > LARGEST_PAGE:
            raise InvalidInput(Fault("file.page_too_long", most=LARGEST_PAGE))
        lines = page_lines(page, text_page)
    return [line._replace(text=_readable(line.text)) for line in lines]


def _readable(text: str) -> str:
    """The text of a line without what is no character; words that were cut at its end whole."""
    text = _CUT_WORD.sub(_whole_word, text.replace("\x02", "\ufffe"))
    text = "".join(c for c in text if c not in "\x00\ufffd\uffff" and not "\ud800" <= c <= "\udfff")
    return text.replace("\ufffe", "-")


def _whole_word(cut: re.Match[str]) -> str:
    """A word that PDFium found cut by a hyphen; that of a compound stays."""
    is_compound = "-" in cut["before"] or (
        cut["before"].lower() in _FIRST_PARTS and not _SUFFIX.match(cut["after"])
    )
    return f"{cut['before']}{'-' if is_compound else ''}{cut['after']}"


def _unspaced(spaced: re.Match[str]) -> str:
    """Chinese that was spaced letter by letter."""
    signs = spaced[0].split(" ")
    is_chinese = 2 * sum(map(bool, map(_CHINESE.match, signs))) >= len(signs)
    return _BLANK_BESIDE_CHINESE.sub("", spaced[0]) if is_chinese else spaced[0]


def _outline(document: pypdfium2.PdfDocument) -> dict[int, tuple[str, ...]]:
    """By page index, the headings of the last bookmark that points to the page."""
    headings: dict[int, tuple[str, ...]] = {}
    above: tuple[str, ...] = ()
    for bookmark in document.get_toc(max_depth=_DEEPEST_OUTLINE):
        title = " ".join(bookmark.get_title().split())
        above = (*above[: bookmark.level], title)
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None and title:
            headings[page] = above
    return headings


def _title(document: pypdfium2.PdfDocument) -> str:
    title = " ".join(document.get_metadata_value("Title").replace("\x00", "").split())
    return "" if _ADDRESS.fullmatch(title) else title
