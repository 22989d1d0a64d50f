"""PowerPoint files (PPTX) by their slides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
    from pptx.chart.chart import Chart
    from pptx.shapes.base import BaseShape
    from pptx.table import Table
    from pptx.text.text import TextFrame

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_Said = tuple["BaseShape", list[str]]
"""A shape and its texts."""
_EDGE = 20
"""The part of a shape's width or height by which neighbours may overlap."""
_FILE_NAME = re.compile(r"\S{1,200}\.\w{3,4}")


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
            for each in list(slide.element.cSld.spTree.iter(ALTERNATIVES)):
                if len(each) and len(each[0]) and each.getparent().tag.endswith(("spTree", "grpSp")):
                    each.getparent().replace(each, each[0][0])
            heading = slide.shapes.title
            named = " ".join(_text(heading.text_frame).split()) if heading is not None else ""
            title = title or named
            place = Locator(heading_path=(named,) if named else (), page=number)
            shapes = [s for s in slide.shapes if heading is None or s.shape_id != heading.shape_id]
            texts = list(_texts(shapes))
            if slide.has_notes_slide:
                texts.append(_text(slide.notes_slide.notes_text_frame))
            blocks += (Block(text=text, locator=place) for text in texts if text)
    return SourceDocument(path=path, title=title or PurePosixPath(path).stem, blocks=tuple(blocks))


def _texts(shapes: Iterable[BaseShape]) -> Iterator[str]:
    """The texts of shapes in reading order."""
    saying = [(shape, texts) for shape in shapes if any(texts := [*_texts_of(shape)])]
    for _, texts in _in_order(saying):
        yield from texts


def _texts_of(shape: BaseShape) -> Iterator[str]:
    """The text of a shape, a table, what is grouped, and what a picture or chart shows in words."""
    if hasattr(shape, "shapes"):
        yield from _texts(shape.shapes)
    elif shape.has_text_frame:
        yield _text(shape.text_frame)  # type: ignore[attr-defined]
    elif shape.has_table:
        yield _table(shape.table)  # type: ignore[attr-defined]
    else:
        if shape.has_chart:
            yield from _chart(shape.chart)  # type: ignore[attr-defined]
        described = str(next(iter(shape.element.xpath("./*/p:cNvPr/@descr")), ""))
        yield "" if _FILE_NAME.fullmatch(described) else described


def _in_order(said: Sequence[_Said]) -> Sequence[_Said]:
    """Columns from the left, each from above; apart from them what stands above or below."""
    columns = _parted(said, across=True)
    if len(columns) > 1:
        return [each for column in columns for each in _in_order(column)]
    bands: list[list[_Said]] = []
    for row in _parted(said, across=False):
        if bands and len(_parted([*bands[-1], *row], across=True)) > 1:
            bands[-1] += row
        else:
            bands.append(row)
    return [each for band in bands for each in (_in_order(band) if len(bands) > 1 else band)]


def _parted(said: Sequence[_Said], *, across: bool) -> list[list[_Said]]:
    """The parts between which a gap goes through from top to bottom, or from side to side."""
    parts: list[list[_Said]] = []
    end = 0
    for each in sorted(said, key=lambda each: _span(each[0], across=across)):
        start, stop = _span(each[0], across=across)
        if not parts or start >= end:
            parts.append([])
        parts[-1].append(each)
        end = max(end, stop)
    return parts


def _span(shape: BaseShape, *, across: bool) -> tuple[int, int]:
    """Where a shape begins and ends, without the edges by which neighbours overlap."""
    start, size = (shape.left, shape.width) if across else (shape.top, shape.height)
    edge, stop = (size or 0) // _EDGE, (start or 0) + (size or 0)
    return (start or 0) + edge, stop - edge


def _table(table: Table) -> str:
    """A Markdown table, with the text of merged cells in each of their places."""
    cells = [[_text(cell.text_frame) for cell in row.cells] for row in table.rows]
    for y, row in enumerate(table.rows):
        for x, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                for line in cells[y : y + cell.span_height]:
                    line[x : x + cell.span_width] = [cells[y][x]] * cell.span_width
    return markdown_table(cells)


def _chart(chart: Chart) -> Iterator[str]:
    """The title of a chart, and its numbers as a table where it has categories."""
    if chart.has_title:
        yield _text(chart.chart_title.text_frame)
    for plot in chart.plots:
        names = [series.name for series in plot.series]
        values = zip(plot.categories, *(series.values for series in plot.series), strict=False)
        yield markdown_table([["", *names], *([str(each) for each in row] for row in values)])


def _text(frame: TextFrame | None) -> str:
    """The paragraphs of a text, equations as TeX; what is struck out was withdrawn."""
    paragraphs = frame.paragraphs if frame is not None else ()
    lines = ("".join(map(_part, each._p)) for each in paragraphs)
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()).strip()


def _part(element: _Element) -> str:
    """The text of a run, break, field or equation of a paragraph."""
    if element.tag == f"{_A}br":
        return "\n"
    if (formula := next(element.iter(f"{omml.MATH}oMathPara", f"{omml.MATH}oMath"), None)) is not None:
        return omml.to_tex(formula)
    text, style = element.findtext(f"{_A}t", ""), element.find(f"{_A}rPr")
    if style is None:
        return text
    if style.get("strike", "noStrike") != "noStrike":
        return ""
    height = int(style.get("baseline", "0").removesuffix("%"))
    return raised(text) if height > 0 else lowered(text) if height < 0 else text
