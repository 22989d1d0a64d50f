"""DOCX: every paragraph, list and table under its headings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

from knowledge.sources.packages import check_package, faults_named
from vta.types import Block, Locator, SourceDocument

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
    rows = (" | ".join(" ".join(cell.text.split()) for cell in row.cells) for row in table.rows)
    return "\n".join(row for row in rows if row.strip(" |"))
