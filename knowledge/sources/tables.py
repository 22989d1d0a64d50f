"""Tables as Markdown, and raised and lowered characters as readable text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLAIN = "0123456789+-=()"
_RAISED = str.maketrans(f"{_PLAIN}ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans(f"{_PLAIN}aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
BAR = "\\|"
"""A vertical line in a cell."""
_ORDINAL = re.compile(r"st|nd|rd|th|er|e|[ao]|tm", re.IGNORECASE)


def raised(text: str) -> str:
    """Superscript: `²` where Unicode has all the characters, else `^k` or `^(k+m)`; `1st` stays."""
    return text if _ORDINAL.fullmatch(text) else _shifted(text, _RAISED, "^")


def lowered(text: str) -> str:
    """Subscript: `₂` where Unicode has all the characters, else `_y` or `_(xy z)`."""
    return _shifted(text, _LOWERED, "_")


SHIFTS = {"sup": raised, "sub": lowered}
"""By tag of HTML."""


def _shifted(text: str, table: dict[int, int], mark: str) -> str:
    core = text.replace("−", "-").replace("–", "-").strip()
    if not core:
        return text
    if all(ord(character) in table for character in core):
        return core.translate(table)
    return mark + (core if core.isalnum() else f"({core})")


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """The rows under the first one as their header; what has one row or one column as lines of text."""
    cells = [[" ".join(cell.split()) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    width = max(map(len, cells), default=0)
    if len(cells) < 2 or width < 2:
        return "\n".join(" | ".join(filter(None, row)) for row in cells)
    first, *others = (_row([*row, *[""] * (width - len(row))]) for row in cells)
    return "\n".join([first, "|---" * width + "|", *others])


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table of one row or more, all as wide as the first, which is the header."""
    first, *others = map(_row, rows)
    return [first, "|" + " --- |" * len(rows[0]), *others]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"
