"""PPTX: the text of each slide under its title, with the slide's number, and the principal's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from knowledge.sources.packages import check_package, faults_named
from vta.types import Block, Locator, SourceDocument


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
