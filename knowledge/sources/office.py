"""Office files: DOCX by its headings, PPTX by its slides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

from knowledge.sources.archive import check_package, faults_named
from vta.types.answers import Block
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

if TYPE_CHECKING:
    from docx.table import Table


def read_docx(file: BinaryIO, *, path: str) -> SourceDocument:
    """One block a paragraph, list or table, under the paragraphs that are styled as headings.

    The title is the one paragraph styled "Title", else the first heading, else the file's name. Deleted text
    of tracked changes, headers, footers and comments are left out.
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
    from docx.table import Table

    items: list[str] = []
    for piece in Document(file).iter_inner_content():
        if isinstance(piece, Table):
            text, style = _table_text(piece), "table"
        else:
            text = piece.text.strip()
            style = (piece.style.name or "").lower() if piece.style else ""
        is_item = style.startswith("list")
        if items and not is_item:
            yield None, "\n".join(items)
            items = []
        if not text:
            continue
        if is_item:
            items.append(f"- {text}")
        elif style == "title":
            yield 0, text
        elif style.startswith("heading ") and style[8:].isdigit():
            yield int(style[8:]), text
        else:
            yield None, text
    if items:
        yield None, "\n".join(items)


def _table_text(table: Table) -> str:
    rows = (" | ".join(_plain(cell.text) for cell in row.cells) for row in table.rows)
    return "\n".join(row for row in rows if row.strip(" |"))


def read_pptx(file: BinaryIO, *, path: str) -> SourceDocument:
    """One block a shape with text, and one for the notes; `page` is the slide's number, from 1.

    Hidden slides are left out. The title is that of the first slide, else the file's name.
    """
    check_package(file, path=path, kind="PPTX")
    title = ""
    blocks: list[Block] = []
    with faults_named(path, "PPTX"):
        from pptx import Presentation  # takes half a second to import

        for number, slide in enumerate(Presentation(file).slides, start=1):
            if slide.element.get("show") == "0":
                continue
            heading = slide.shapes.title
            named = _plain(heading.text_frame.text) if heading is not None else ""
            title = title or named
            place = Locator(heading_path=(named,) if named else (), page=number)
            shapes = (s for s in slide.shapes if heading is None or s.shape_id != heading.shape_id)
            texts = list(_texts(shapes))
            if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                texts.append(slide.notes_slide.notes_text_frame.text)
            blocks += (Block(text=text.strip(), locator=place) for text in map(_lines, texts) if text.strip())
    return SourceDocument(path=path, title=title or PurePosixPath(path).stem, blocks=tuple(blocks))


def _texts(shapes: Iterable[object]) -> Iterator[str]:
    """The texts of shapes, of the cells of tables, and of what is grouped."""
    waiting = list(shapes)
    while waiting:
        shape = waiting.pop(0)
        waiting = [*getattr(shape, "shapes", ()), *waiting]
        if getattr(shape, "has_text_frame", False):
            yield str(getattr(shape, "text_frame").text)  # noqa: B009
        if getattr(shape, "has_table", False):
            rows = getattr(shape, "table").rows  # noqa: B009
            yield "\n".join(" | ".join(_plain(cell.text_frame.text) for cell in row.cells) for row in rows)


def _lines(text: str) -> str:
    """Line breaks inside a paragraph are vertical tabs in a slide."""
    return "\n".join(line.rstrip() for line in text.replace("\v", "\n").splitlines())


def _plain(text: str) -> str:
    return " ".join(text.split())
