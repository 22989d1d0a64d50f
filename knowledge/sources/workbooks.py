"""Workbooks (XLSX): the rows of their sheets as Excel shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby, takewhile
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from knowledge.sources.archive import check_package, faults_named
from knowledge.sources.cell_formats import shown
from knowledge.sources.tables import table_lines
from vta.faults import Fault
from vta.types.answers import Block, Rejection
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

_MOST_COLUMNS = 64
_IN_ADDRESSES = {ord(" "): "%20", ord("("): "%28", ord(")"): "%29"}
_BRACKETS = re.compile(r"([\[\]\\])")


class SheetRow(NamedTuple):
    """The texts of a row by their column, and the number that Excel shows beside it."""

    number: int
    cells: list[str]
    links: dict[int, str]
    """The texts of cells that lead to an address, as Markdown links."""
    is_hidden: bool
    """True, too, where all of it is struck out."""


@contextmanager
def open_workbook(file: BinaryIO, *, path: str) -> Iterator[Any]:
    """A workbook of openpyxl. `InvalidInput` for another file, a damaged or a hostile one."""
    from openpyxl import load_workbook  # takes a third of a second to import

    check_package(file, path=path, kind="XLSX")
    with faults_named(path, "XLSX"):
        book = load_workbook(file, data_only=True, keep_links=False, rich_text=True)
        try:
            yield book
        finally:
            book.close()


def visible_sheets(book: Any) -> dict[str, Any]:
    """The sheets that Excel shows by name; all where it shows none."""
    sheets = {each.title: each for each in book.worksheets}
    return {name: each for name, each in sheets.items() if each.sheet_state == "visible"} or sheets


def sheet_rows(sheet: Any) -> Iterator[SheetRow]:
    """The rows of a sheet that are not empty; formulas give the value last seen.

    All rows of a merged cell have its value, in its first column.
    """
    present = sheet._cells  # `iter_rows` would make those that are missing, of which there may be billions
    firsts = {
        (row, each.min_col): sheet.cell(each.min_row, each.min_col)
        for each in sheet.merged_cells.ranges
        for row in range(each.min_row, each.max_row + 1)
    }
    for number, keys in groupby(sorted(present), key=itemgetter(0)):
        own = {column: present[number, column] for _, column in keys if column <= _MOST_COLUMNS}
        if not any(str(cell.value).strip() for cell in own.values() if cell.value is not None):
            continue
        cells = {column: firsts.get((number, column), cell) for column, cell in own.items()}
        texts = [_text(cells[column]) if column in cells else "" for column in range(1, max(cells) + 1)]
        yield SheetRow(
            number=number,
            cells=texts,
            links={
                column - 1: _link(texts[column - 1], cell.hyperlink.target)
                for column, cell in cells.items()
                if cell.hyperlink and cell.hyperlink.target
            },
            is_hidden=not any(texts)
            or (number in sheet.row_dimensions and sheet.row_dimensions[number].hidden),
        )


def _text(cell: Any) -> str:
    """A cell as Excel shows it, without what is struck out."""
    from openpyxl.utils.escape import unescape

    value = cell.value
    if value is None or (cell.has_style and cell.font.strike):
        return ""
    if isinstance(value, list):  # rich text
        text = "".join(str(part) for part in value if isinstance(part, str) or not part.font.strike)
    else:
        text = shown(value, cell.number_format)
    return unescape(text).replace("\r\n", "\n") if "_x" in text else text


def _link(text: str, address: str) -> str:
    words = _BRACKETS.sub(r"\\\1", text)
    return f"[{words}]({address.translate(_IN_ADDRESSES)})" if words else ""


def read_sheets(file: BinaryIO, *, path: str) -> SourceDocument:
    """The visible sheets as Markdown tables under their names; hidden rows are among `rejected`."""
    title = PurePosixPath(path).stem
    blocks: list[Block] = []
    rejected: list[Rejection] = []
    with open_workbook(file, path=path) as book:
        for name, sheet in visible_sheets(book).items():
            rows = list(sheet_rows(sheet))
            hidden = (Fault("table.hidden_row").at(path, row=row.number) for row in rows if row.is_hidden)
            rejected += (Rejection(path=path, fault=fault) for fault in hidden)
            place = Locator(heading_path=(title, name))
            texts = _paragraphs([row for row in rows if not row.is_hidden])
            blocks += (Block(text=text, locator=place) for text in texts)
    return SourceDocument(path=path, title=title, blocks=tuple(blocks), rejected=tuple(rejected))


def _paragraphs(rows: list[SheetRow]) -> Iterator[str]:
    """The lines of one cell above the first row of several, and the table below them."""
    above = list(takewhile(lambda row: sum(map(bool, row.cells)) < 2, rows))
    yield from filter(None, ("".join(row.cells) for row in above))
    table = rows[len(above) :]
    columns = sorted({n for row in table for n, cell in enumerate(row.cells) if cell})
    if table:
        yield "\n".join(table_lines([[_in_table(row, n) for n in columns] for row in table]))


def _in_table(row: SheetRow, column: int) -> str:
    text = row.links.get(column) or (row.cells[column] if column < len(row.cells) else "")
    return " ".join(text.split())
