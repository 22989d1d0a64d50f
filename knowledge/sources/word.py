"""Word files (DOCX): paragraphs, lists, tables and equations under their headings, as they are printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

from lxml.etree import _Element

from knowledge.sources import omml
from knowledge.sources.archive import ALTERNATIVES, check_package, faults_named
from knowledge.sources.tables import lowered, markdown_table, raised
from vta.types.answers import Block
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

if TYPE_CHECKING:
    from docx.document import Document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEFT_OUT = frozenset(
    f"{_W}{tag}" for tag in "del moveFrom delText instrText rt sdtPr sdtEndPr pPr rPr".split()
)
_SIGNS = {f"{_W}tab": "\t", f"{_W}ptab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_WITHDRAWN = ("vanish", "strike", "dstrike")
_SHIFTS = {"superscript": raised, "subscript": lowered}
_BOX = f"{_W}txbxContent"
_DEEPEST = 10
"""Styles that are based on each other."""
_MOST_COLUMNS = 63
"""That Word allows."""


def read_docx(file: BinaryIO, *, path: str) -> SourceDocument:
    """One block a paragraph, list or table, under the paragraphs that are styled as headings.

    The title is the one paragraph styled "Title", else the first heading, else the file's name. Insertions of
    tracked changes are read; deletions, hidden and struck-out text, tables of contents, headers, footers and
    comments are not.
    """
    check_package(file, path=path, kind="DOCX")
    title = ""
    headings: list[tuple[int, str]] = []
    blocks: list[Block] = []
    with faults_named(path, "DOCX"):
        for level, text in _pieces(file):
            if level is None:
                above = tuple(heading for _, heading in headings) or (title or PurePosixPath(path).stem,)
                blocks.append(Block(text=text, locator=Locator(heading_path=above)))
                continue
            title = title or text
            if level:
                headings = [(n, h) for n, h in headings if n < level] + [(level, text)]
    return SourceDocument(path=path, title=title or PurePosixPath(path).stem, blocks=tuple(blocks))


def _pieces(file: BinaryIO) -> Iterator[tuple[int | None, str]]:
    """Texts in order: a heading with its level, the title with level 0, anything else with None."""
    from docx import Document  # takes half a second to import

    document = Document(file)
    pieces = _Reader(document).pieces(document.element.body)
    for is_list, run in groupby(pieces, key=lambda piece: piece[0].startswith("list")):
        if is_list:
            yield None, "\n".join(f"- {text}" for _, text in run)
            continue
        for style, text in run:
            is_heading = style.startswith("heading ") and style[8:].isdigit()
            yield 0 if style == "title" else int(style[8:]) if is_heading else None, text


class _Reader:
    """The texts of the elements of a document, with its styles and notes at hand."""

    def __init__(self, document: Document) -> None:
        from docx.oxml import parse_xml

        self._styles = {style.get(f"{_W}styleId", ""): style for style in document.styles.element}
        self._notes = {
            (kind, note.get(f"{_W}id")): note
            for kind in ("footnote", "endnote")
            for relation in document.part.rels.values()
            if relation.reltype.endswith(f"/{kind}s")
            for note in parse_xml(relation.target_part.blob)
        }
        self._beside: list[_Element] = []
        """Text boxes and notes of the paragraph that is read."""

    def pieces(self, parent: _Element) -> Iterator[tuple[str, str]]:
        """The style and text of each paragraph and table; boxes and notes follow their paragraph."""
        before = ""
        for element in _unwrapped(parent, "p", "tbl"):
            if element.tag == f"{_W}tbl":
                yield from self._table(element)
                continue
            style, withdrawn = self._style(element, f"{_W}pPr/{_W}pStyle")
            text = before + self._text(element, withdrawn)
            beside, self._beside = self._beside, []
            if element.find(f"{_W}pPr/{_W}rPr/{_W}del") is not None:
                before = text  # the mark between the paragraphs is deleted
                continue
            before = ""
            number = element.find(f"{_W}pPr/{_W}numPr/{_W}numId")
            if number is not None and number.get(f"{_W}val") != "0" and not style.startswith("heading "):
                style = "list"
            if text.strip() and not style.startswith("toc"):
                yield style, text.strip()
            for each in beside:
                yield from self.pieces(each)

    def _table(self, table: _Element) -> Iterator[tuple[str, str]]:
        """A Markdown table; the pieces of one that only arranges headings, other tables or a frame."""
        cells: list[list[_Element]] = []
        for row in _unwrapped(table, "tr"):
            if row.find(f"{_W}trPr/{_W}del") is None:
                cells.append(_cells(row, cells[-1] if cells else []))
        distinct = dict.fromkeys(cell for row in cells for cell in row)
        pieces = {cell: list(self.pieces(cell)) for cell in distinct}
        arranges = any(
            cell.find(f".//{_W}tbl") is not None
            or any(style.startswith("heading ") for style, _ in pieces[cell])
            for cell in distinct
        )
        if arranges or all(len(row) < 2 for row in cells):
            for each in pieces.values():
                yield from each
        elif text := markdown_table(
            [[" ".join(text for _, text in pieces[cell]) for cell in row] for row in cells]
        ):
            yield "table", text

    def _text(self, element: _Element, withdrawn: bool = False) -> str:
        """The text of an element in its line; `withdrawn`: its style is hidden or struck out."""
        if element.tag in _LEFT_OUT:
            return ""
        if element.tag == _BOX:
            self._beside.append(element)
            return ""
        if element.tag in (f"{omml.MATH}oMath", f"{omml.MATH}oMathPara"):
            return omml.to_tex(element)
        if element.tag in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
            kind = element.tag.removeprefix(_W).removesuffix("Reference")
            if (note := self._notes.get((kind, element.get(f"{_W}id")))) is not None:
                self._beside.append(note)
            return ""
        if element.tag == ALTERNATIVES:
            return self._text(element[0], withdrawn) if len(element) else ""
        if element.tag == f"{_W}t":
            return element.text or ""
        if element.tag != f"{_W}r":
            return _SIGNS.get(element.tag, "") or "".join(self._text(each, withdrawn) for each in element)
        own = _withdrawn(element)
        if own or (own is None and (withdrawn or self._style(element, f"{_W}rPr/{_W}rStyle")[1])):
            return ""
        text = "".join(map(self._text, element))
        place = element.find(f"{_W}rPr/{_W}vertAlign")
        shift = _SHIFTS.get(place.get(f"{_W}val", "")) if place is not None else None
        return shift(text) if shift else text

    def _style(self, element: _Element, place: str) -> tuple[str, bool]:
        """The name of an element's style in small letters, and whether that hides or strikes out."""
        named = element.find(place)
        style = self._styles.get(named.get(f"{_W}val", "")) if named is not None else None
        if style is None:
            return "", False
        name = style.find(f"{_W}name")
        for _ in range(_DEEPEST):
            based = style.find(f"{_W}basedOn")
            if (withdrawn := _withdrawn(style)) is not None or based is None:
                break
            style = self._styles.get(based.get(f"{_W}val", ""), style)
        return ("" if name is None else name.get(f"{_W}val", "").lower()), bool(withdrawn)


def _cells(row: _Element, above: Sequence[_Element]) -> list[_Element]:
    """The cells of a row, one that spans columns or rows once for each."""
    cells: list[_Element] = []
    for cell in _unwrapped(row, "tc"):
        span, merged = (cell.find(f"{_W}tcPr/{_W}{tag}") for tag in ("gridSpan", "vMerge"))
        is_merged = merged is not None and merged.get(f"{_W}val") != "restart" and len(cells) < len(above)
        shown = above[len(cells)] if is_merged else cell
        cells += [shown] * min(int(span.get(f"{_W}val", 1)) if span is not None else 1, _MOST_COLUMNS)
    return cells


def _unwrapped(parent: _Element, *tags: str) -> Iterator[_Element]:
    """The children with these tags, those in content controls and tracked insertions among them."""
    for child in parent.iterchildren("{*}*"):
        if child.tag in [f"{_W}{tag}" for tag in tags]:
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from _unwrapped(child[0] if child.tag == ALTERNATIVES else child, *tags)


def _withdrawn(element: _Element) -> bool | None:
    """True if a run or style is hidden or struck out; None if it leaves that open."""
    found = [each for tag in _WITHDRAWN if (each := element.find(f"{_W}rPr/{_W}{tag}")) is not None]
    return any(each.get(f"{_W}val", "1") not in ("0", "false", "off") for each in found) if found else None
