"""The neighbourhood of a concept as a small picture in SVG."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from html import escape

from vta.languages import Language
from vta.types.concepts import Concept, Neighbourhood
from vta.types.courses import ConceptId

_NODE_WIDTH, _NODE_HEIGHT = 120, 40
_GAP, _ROW_GAP, _MARGIN = 24, 12, 2
_LINE_HEIGHT = 15
_LINE_UNITS = 15
"""What a line of a node holds: a narrow character is one unit, a wide (Chinese) one two."""
_LINES = 2
_ELLIPSIS = "…"
_NOT_SHOWN = re.compile(
    "[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
)
"""What XML cannot hold, what has no look, and what would turn the direction of the text that follows."""

_TEXTS: Mapping[Language, tuple[str, str, str, str]] = {
    Language.ZH: ("“{}”的概念图", "先修：{}。", "后续：{}。", "、"),
    Language.EN: (
        "Concepts around “{}”",
        "Known before: {}.",
        "Builds on it: {}.",
        ", ",
    ),
}
_STYLE = "svg:root{color-scheme:light dark;color:light-dark(#1c2330,#e3e6ec)}"
"""Holds where the picture is a document of its own; elsewhere its colour is that of the text around it."""


def draw_neighbourhood(neighbourhood: Neighbourhood, language: Language) -> str:
    """An SVG element: what comes before at the left, the concept, what builds on it at the right.

    A name too long for its box is cut with an ellipsis and stands whole in the box's title. Everything is
    escaped; there is no script, no id and no reference to anything outside.
    """
    title, description = _describe(neighbourhood, language)
    columns = _columns(neighbourhood)
    rows = max(map(len, columns))
    width = len(columns) * (_NODE_WIDTH + _GAP) - _GAP + 2 * _MARGIN
    height = rows * (_NODE_HEIGHT + _ROW_GAP) - _ROW_GAP + 2 * _MARGIN
    corners = _place(columns, height)
    lines = [_arrow(corners[before], corners[after]) for before, after in neighbourhood.order]
    boxes = [
        _box(concept, corners[concept.id], concept is neighbourhood.concept)
        for column in columns
        for concept in column
    ]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="neighbourhood" role="img" lang="{language}"'
            f' viewBox="0 0 {width} {height}" width="{width}" height="{height}" color="currentColor"'
            ' font-family="system-ui, sans-serif" font-size="13">',
            f"<title>{_safe(title)}</title>",
            f"<desc>{_safe(description)}</desc>",
            f"<style>{_STYLE}</style>",
            '<g class="order" fill="none" stroke="currentColor" stroke-opacity="0.6">',
            *lines,
            "</g>",
            *boxes,
            "</svg>\n",
        )
    )


def shorten(name: str) -> tuple[str, ...]:
    """A name in at most two lines of a box; what does not fit is cut, the last character an ellipsis."""
    rest = " ".join(_NOT_SHOWN.sub(" ", name).split())
    lines: list[str] = []
    while rest and len(lines) < _LINES:
        line = rest[: _fitting(rest, _LINE_UNITS)]
        if len(line) < len(rest) and len(lines) == _LINES - 1:
            line = rest[: _fitting(rest, _LINE_UNITS - 1)].rstrip() + _ELLIPSIS
        elif len(line) < len(rest) and rest[len(line)] != " " and " " in line:
            line = line[: line.rindex(" ")]
        lines.append(line.strip())
        rest = rest[len(line) :].strip()
    return tuple(lines) or (_ELLIPSIS,)


def text_width(text: str) -> int:
    """The units that a text is wide: two for a wide character, none for one that stands over another."""
    return sum(map(_units, text))


def _units(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fitting(text: str, units: int) -> int:
    """How many characters fit, at least one."""
    for count in range(1, len(text) + 1):
        if text_width(text[:count]) > units:
            return max(1, count - 1)
    return len(text)


def _columns(neighbourhood: Neighbourhood) -> list[Sequence[Concept]]:
    """The columns from left to right; each box is level with what it leads to, so that few lines cross."""
    columns: list[Sequence[Concept]] = [(neighbourhood.concept,)]
    for column in neighbourhood.before:
        row = {concept.id: n for n, concept in enumerate(columns[0])}
        follow = {
            concept.id: [row[b] for a, b in neighbourhood.order if a == concept.id and b in row]
            for concept in column
        }
        columns.insert(
            0, sorted(column, key=lambda each: sum(follow[each.id]) / max(1, len(follow[each.id])))
        )
    return [*columns, neighbourhood.after] if neighbourhood.after else columns


def _place(columns: Sequence[Sequence[Concept]], height: int) -> dict[ConceptId, tuple[int, int]]:
    """The upper left corner of each box; a column stands in the middle of the height."""
    corners = {}
    for n, column in enumerate(columns):
        top = (height - len(column) * (_NODE_HEIGHT + _ROW_GAP) + _ROW_GAP) // 2
        for m, concept in enumerate(column):
            corners[concept.id] = _MARGIN + n * (_NODE_WIDTH + _GAP), top + m * (_NODE_HEIGHT + _ROW_GAP)
    return corners


def _arrow(before: tuple[int, int], after: tuple[int, int]) -> str:
    x1, y1 = before[0] + _NODE_WIDTH, before[1] + _NODE_HEIGHT // 2
    x2, y2 = after[0] - 1, after[1] + _NODE_HEIGHT // 2
    bend = _GAP // 2
    return (
        f'<path d="M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}'
        f'M{x2 - 5} {y2 - 4}L{x2} {y2}L{x2 - 5} {y2 + 4}"/>'
    )


def _box(concept: Concept, corner: tuple[int, int], is_marked: bool) -> str:
    """An SVG element of its own, so that no font is wide enough to write over the box."""
    x, y = corner
    lines = shorten(concept.name)
    first = _NODE_HEIGHT // 2 + 4 - (len(lines) - 1) * _LINE_HEIGHT // 2
    texts = "".join(
        f'<text x="{_NODE_WIDTH // 2}" y="{first + n * _LINE_HEIGHT}" text-anchor="middle"'
        f' fill="currentColor">{escape(line)}</text>'
        for n, line in enumerate(lines)
    )
    return (
        f'<svg class="{"centre" if is_marked else "neighbour"}" x="{x}" y="{y}" width="{_NODE_WIDTH}"'
        f' height="{_NODE_HEIGHT}" role="none"><title>{_safe(concept.name)}</title>'
        f'<rect x="1" y="1" width="{_NODE_WIDTH - 2}" height="{_NODE_HEIGHT - 2}" rx="8" fill="currentColor"'
        f' fill-opacity="{0.12 if is_marked else 0.04}" stroke="currentColor"'
        f' stroke-opacity="{0.8 if is_marked else 0.35}"/>{texts}</svg>'
    )


def _describe(neighbourhood: Neighbourhood, language: Language) -> tuple[str, str]:
    title, before, after, comma = _TEXTS[language]
    known = [concept.name for column in neighbourhood.before for concept in column]
    built = [concept.name for concept in neighbourhood.after]
    parts = [
        pattern.format(comma.join(names)) for pattern, names in ((before, known), (after, built)) if names
    ]
    return title.format(neighbourhood.concept.name), " ".join(parts)


def _safe(text: str) -> str:
    return escape(_NOT_SHOWN.sub(" ", text))
