"""Where the lines of a PDF page stand: columns, tables, headings, and what each page repeats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from statistics import mean
from typing import NamedTuple

import pypdfium2
from pypdfium2.raw import FPDFText_GetFontSize, FPDFText_GetUnicode

from knowledge.sources.tables import table_lines
from vta.text import HAN

_FEWEST_ROWS = 3
"""Of columns or a table."""
_GAP = 12.0
"""Points between two cells of a row; words of a line are nearer."""
_NO_BLANK = 1.0
"""Points between two signs of a word."""
_PROSE = 18
"""Letters that a line of a column has at least; the cells of a table have fewer."""
_MOST_RECTANGLES = 5_000
_MARGIN = 0.08
"""The share of a page above and below which running heads and page numbers stand."""
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_BEGINS = re.compile(rf"[A-Z{HAN}]")
_SAME_SIZE = 0.08
_MOST_BETWEEN_ROWS = 30.0
"""Points."""


class Line(NamedTuple):
    """A line, empty between paragraphs; `height` is its place, from 0 at the foot to 1 at the head."""

    text: str
    height: float = 0.5
    size: float = 0.0
    """Of its letters, in points; 0 where it is not known."""


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


_Row = list[list[_Box]]
"""Cells from left to right, each of one or more rectangles."""


def page_lines(page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage) -> list[Line]:
    """The lines in reading order: columns one after another, tables as Markdown."""
    rows = list(_rows(text_page))
    if sum(len(row) > 1 for row in rows) >= _FEWEST_ROWS:
        return list(_laid_out(rows, text_page, page.get_height()))
    return list(_drawn(text_page, page.get_height()))


def _drawn(text_page: pypdfium2.PdfTextPage, page_height: float) -> Iterator[Line]:
    """The lines as they were drawn."""
    at = 0
    for text in text_page.get_text_range(errors="replace").split("\r\n"):
        parts = [len(text) * n // 4 for n in (1, 2, 3)]
        if text and FPDFText_GetUnicode(text_page, at + parts[1]) == ord(text[parts[1]]):
            size = max(FPDFText_GetFontSize(text_page, at + n) for n in parts)  # words of code are smaller
            yield Line(text, text_page.get_charbox(at + parts[1])[1] / page_height, size)
        else:
            yield Line(text)
        at += len(text) + 2


def _rows(text_page: pypdfium2.PdfTextPage) -> Iterator[_Row]:
    """The rows of a page: cells drawn side by side, from left to right."""
    row: _Row = []
    for n in range(min(text_page.count_rects(), _MOST_RECTANGLES)):
        box = _Box(*text_page.get_rect(n))
        last = row[-1][-1] if row else None
        if last is None or not _is_beside(last, box):
            if row:
                yield row
            row = [[box]]
        elif box.left - last.right < max(_GAP, 1.5 * (last.top - last.bottom)):
            row[-1].append(box)
        else:
            row.append([box])
    if row:
        yield row


def _is_beside(left: _Box, right: _Box) -> bool:
    middle = (right.bottom + right.top) / 2
    return right.left >= left.right - 1 and left.bottom - 1 <= middle <= left.top + 1


def _laid_out(rows: Sequence[_Row], text_page: pypdfium2.PdfTextPage, page_height: float) -> Iterator[Line]:
    """The rows of a page on which text stands side by side."""

    def line(cell: Sequence[_Box]) -> Line:
        text, last = "", cell[0]
        for box in cell:
            blank = " " if box.left - last.right > _NO_BLANK else ""
            text, last = text + blank + text_page.get_text_bounded(*box, errors="replace").strip(), box
        return Line(text, cell[0].bottom / page_height)

    at = 0
    while at < len(rows):
        starts = [cell[0].left for cell in rows[at]]
        stop = at + 1
        while stop < len(rows) and _is_below(rows[stop - 1], rows[stop]) and _fits(rows[stop], starts):
            stop += 1
        region = rows[at:stop]
        if sum(len(row) > 1 for row in region) < _FEWEST_ROWS:
            cells = [line(cell) for cell in rows[at]]
            yield cells[0]._replace(text=" ".join(cell.text for cell in cells))
            at += 1
            continue
        grid = [{_column(cell, starts): line(cell) for cell in row} for row in region]
        columns = [[row[n] for row in grid if n in row] for n in range(len(starts))]
        is_prose = all(mean(_weight(each.text) for each in column) >= _PROSE for column in columns)
        lines = chain.from_iterable(columns) if is_prose else _table(grid, len(starts))
        yield from (Line(""), *lines, Line(""))
        at = stop


def _is_below(row: _Row, following: _Row) -> bool:
    bottom, top = min(cell[0].bottom for cell in row), max(cell[0].top for cell in following)
    return -2 <= bottom - top <= _MOST_BETWEEN_ROWS


def _column(cell: Sequence[_Box], starts: Sequence[float]) -> int:
    return min(range(len(starts)), key=lambda n: abs(starts[n] - cell[0].left))


def _fits(row: _Row, starts: Sequence[float]) -> bool:
    """True if each cell stands in another column and reaches into no other."""
    ends = [*starts[1:], math.inf]
    columns = [_column(cell, starts) for cell in row]
    is_inside = all(cell[-1].right < ends[n] for cell, n in zip(row, columns, strict=True))
    return is_inside and len({*columns}) == len(columns)


def _table(grid: Sequence[Mapping[int, Line]], width: int) -> list[Line]:
    rows = [[row[n].text if n in row else "" for n in range(width)] for row in grid]
    return [Line(text) for text in table_lines(rows)]


def _weight(text: str) -> int:
    """The width of a text in Latin letters."""
    return len(text) + len(_HAN_CHARACTER.findall(text))


def running_heads(pages: Collection[Sequence[Line]]) -> frozenset[str]:
    """Keys of the lines above or below the text of half of the pages; numbers count as equal."""
    counts = Counter(key for lines in pages for key in {_key(line) for line in lines if _is_marginal(line)})
    return frozenset(key for key, count in counts.items() if count > 1 and count * 2 >= len(pages))


def text_of(lines: Sequence[Line], heads: frozenset[str]) -> str:
    """The lines without running heads, with an empty one where the layout ends a paragraph.

    That is where the size of the letters changes, and behind a line of less than half of the next.
    """
    rest = [line for line in lines if not (_is_marginal(line) and _key(line) in heads)]
    texts = [line.text for line in rest[:1]]
    for line, following in pairwise(rest):
        is_other = line.size and following.size and abs(line.size / following.size - 1) > _SAME_SIZE
        is_short = _weight(line.text) * 2 < _weight(following.text)
        if (is_other or is_short) and _BEGINS.match(following.text) and not line.text.endswith("-"):
            texts.append("")
        texts.append(following.text)
    return "\n".join(texts)


def _is_marginal(line: Line) -> bool:
    return bool(line.text) and not _MARGIN < line.height < 1 - _MARGIN


def _key(line: Line) -> str:
    return re.sub(r"\d+", "0", " ".join(line.text.split()))
