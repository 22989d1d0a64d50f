"""Units of course text made ready to stand inside an answer: code, formulas, tables and lists."""

from __future__ import annotations

import re

from prompts.markdown import (
    KEPT,
    UNSAFE_MATHS,
    escape_cell,
    escape_markdown,
    join_sentences,
    split_sentences,
)
from vta.units import UnitKind

_FENCE_LINE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*\{?\.?([\w+#-]*)")
_DISPLAY = re.compile(r"^(?:\$\$|\\\[)|(?:\$\$|\\\])$")
_TEX_COMMENT = re.compile(r"(?<!\\)%.*")
_LEADING = re.compile("\u2003*")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,3}[.)、])\s*")


def escape_unit(kind: UnitKind, text: str) -> str:
    """Markdown that shows a unit; empty where it holds nothing that can be shown safely."""
    match kind:
        case UnitKind.SENTENCE:
            return escape_markdown(text)
        case UnitKind.CODE:
            return _code(text)
        case UnitKind.FORMULA:
            return _formula(text)
        case UnitKind.TABLE:
            return _table(text)
        case UnitKind.LIST:
            return _list(text)


def _code(block: str) -> str:
    """A fenced code block as it is, in a fence that nothing in it can close; empty where it holds nothing."""
    opening, *lines = block.strip("\n").splitlines()
    ticks = _FENCE_LINE.match(opening)
    if ticks is None:
        return ""
    if lines and lines[-1].strip().startswith(ticks[1]):
        lines = lines[:-1]
    code = "\n".join(lines).strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{ticks[2]}\n{code}\n{fence}" if code.strip() else ""


def _formula(formula: str) -> str:
    """A display formula in one line between `$$`; empty where it could be read as anything else."""
    inner = _DISPLAY.sub("", formula.strip()).strip()
    inner = " ".join(_TEX_COMMENT.sub("", inner).split())
    is_safe = inner and "$$" not in inner and not UNSAFE_MATHS.search(inner)
    return f"$${inner}$$" if is_safe else ""


def _table(table: str) -> str:
    """A table whose cells are plain text; empty where it has no head or no rows."""
    rows = [[cell.strip() for cell in _cells(line)] for line in table.strip().splitlines()]
    if len(rows) < 3 or not all(re.fullmatch(r":?-+:?", cell) for cell in rows[1]):
        return ""
    width = len(rows[0])
    body = [
        [escape_cell(_plain(cell)) for cell in (row + [""] * width)[:width]] for row in (rows[0], *rows[2:])
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in body]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def _list(text: str) -> str:
    """A list whose items are plain lines; what is nested keeps its depth. Line breaks of the author stay."""
    if not _ITEM.match(text.strip("\n")):
        return _lines(text.strip("\n").split("\n"), "")
    items: list[str] = []
    for line in text.strip("\n").splitlines():
        if opening := _ITEM.match(line):
            items.append(
                f"{'  ' * min(len(opening[1]) // 2, 2)}{opening[2]} {line[opening.end() :].lstrip()}"
            )
        elif line.strip() and items:
            items[-1] += f"\n{line.lstrip(' ')}" if items[-1].endswith("  ") else f" {line.strip()}"
    shown = []
    for item in items:
        opening = _ITEM.match(item)
        if opening and (words := _lines(item[opening.end() :].split("\n"), " " * opening.end())):
            number = re.match(r"\d+", opening[2])
            shown.append(f"{opening[1]}{f'{number[0]}.' if number else '-'} {words}")
    return "\n".join(shown)


def _lines(lines: list[str], indent: str) -> str:
    """Lines that the author broke, each plain and escaped."""
    shown = ((_LEADING.match(line), escape_markdown(_plain(line))) for line in lines)
    return f"  \n{indent}".join(f"{blank.group() if blank else ''}{words}" for blank, words in shown if words)


def _cells(row: str) -> list[str]:
    """The cells of a row; a bar in code or mathematics ends none."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"\0{len(kept) - 1}\0"

    parts = re.split(r"(?<!\\)\|", KEPT.sub(keep, row.strip().strip("|").replace("\0", "")))
    return [re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], part).replace("\\|", "|") for part in parts]


def _plain(text: str) -> str:
    return join_sentences(split_sentences(text)) if text.strip() else ""
