"""PDF: the text of each page under the outline's headings, with the page's number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from threading import Lock
from typing import BinaryIO

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from knowledge.sources.archive import faults_named
from knowledge.sources.subtitles import join_speech
from knowledge.sources.text import as_item, ends_item, is_item, join_items, join_signs, without_glyphs
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.answers import Block, Rejection
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

MOST_PAGES = 10_000
LARGEST_PAGE = 200_000
"""Characters."""

_PDFIUM = Lock()
"""PDFium may be in one thread at a time."""
_SENTENCE_END = re.compile(r"[。！？!?.:：;；…][\"'”’)）]*$")
_ADDRESS = re.compile(r"(?:about|data|file|https?|chrome[a-z-]*):\S*", re.IGNORECASE)
"""What browsers call a page by that was printed without a title."""
_HYPHENATED = re.compile(r"[a-z]-$")
_DEEPEST_OUTLINE = 6


def read_pdf(file: BinaryIO, *, path: str) -> SourceDocument:
    """One block a paragraph, `page` counting from 1; a page that cannot be read is among `rejected`.

    Raises `InvalidInput` for a file that is damaged, needs a password, or has no text at all (scanned pages).
    """
    blocks: list[Block] = []
    rejected: list[Rejection] = []
    with _PDFIUM, faults_named(path, "PDF"):
        document = _open(file, path)
        try:
            if len(document) > MOST_PAGES:
                raise InvalidInput(
                    Fault("file.too_many_pages", count=len(document), most=MOST_PAGES).at(path)
                )
            title = _title(document) or PurePosixPath(path).stem
            headings = _outline(document)
            above: tuple[str, ...] = ()
            for n in range(len(document)):
                above = headings.get(n, above)
                place = Locator(heading_path=above, page=n + 1)
                try:
                    text = _page_text(document, n)
                except (pypdfium2.PdfiumError, UnicodeError, InvalidInput) as error:
                    reason = error.fault if isinstance(error, InvalidInput) else str(error)
                    fault = Fault("file.unreadable", reason=reason).at(path, page=n + 1)
                    rejected.append(Rejection(path=path, fault=fault))
                    continue
                blocks += (Block(text=each, locator=place) for each in paragraphs(text))
        finally:
            document.close()
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
    for line in (" ".join(line.split()) for line in lines):
        if paragraph and (is_item(line) or ends_item(paragraph, line)):
            yield paragraph
            paragraph = as_item(line)
        elif not line and paragraph:
            yield paragraph
            paragraph = ""
        elif _HYPHENATED.search(paragraph):
            paragraph = paragraph[:-1] + line
        else:
            paragraph = join_speech(paragraph, as_item(line))
        if _SENTENCE_END.search(paragraph):
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


def _page_text(document: pypdfium2.PdfDocument, n: int) -> str:
    page = document[n]
    try:
        text_page = page.get_textpage()
        try:
            if text_page.count_chars() > LARGEST_PAGE:
                raise InvalidInput(Fault("file.page_too_long", most=LARGEST_PAGE))
            text: str = text_page.get_text_range(errors="replace")
        finally:
            text_page.close()
    finally:
        page.close()
    readable = (c for c in text if c not in "\x00\ufffd\ufffe\uffff" and not "\ud800" <= c <= "\udfff")
    return "".join(readable).replace("\x02", "-")  # PDFium's mark for a hyphen at the end of a line


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
