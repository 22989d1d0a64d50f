"""Markdown inside an answer: escaped text, sentences, and units of course text such as code and tables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from functools import partial
from itertools import takewhile

import vta.sentences
from vta.text import HAN
from vta.units import UnitKind

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)(?:\{[^}\n]{0,200}\})?")
_LINK = re.compile(r"\[([^\[\]]{1,500})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)")
_STRONG = re.compile(r"\*\*|(?<!\w)__|__(?!\w)")
_SKIPPED_LINE = re.compile(r"^(?:\||[-=*_]{3,}$)")
_HEADING = re.compile(r"^\#{1,6}(?:\s|$)")
_OPENS_BLOCK = re.compile(r"^(?:[-*+]|\d{1,3}[.)]|>)\s+")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_HAN_GAP = re.compile(rf"(?<=[\u3000-\u303f{HAN}\uff00-\uffef])\n(?=[\u3000-\u303f{HAN}\uff00-\uffef])")
_LONG_SENTENCE = 400
KEPT = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)|\${1,2}[^$\n]+\${1,2}(?!\d)")
_KEPT_AT = re.compile("\ue000(\\d+)\ue001")
UNSAFE_MATHS = re.compile(r"`|<[A-Za-z/!?]|\]\s*[(\[]|\[\d+\]")
_ACTIVE = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_LEADING = re.compile(r"^(?=[#+=:>-])|^(\d+)(?=[.)](?:\s|$))")
_FENCE_LINE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*\{?\.?([\w+#-]*)")
_DISPLAY = re.compile(r"^(?:\$\$|\\\[)|(?:\$\$|\\\])$")
_TEX_COMMENT = re.compile(r"(?<!\\)%.*")
_INDENT = re.compile("\u2003*")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,3}[.)、])\s*")


def split_sentences(text: str) -> list[str]:
    """The sentences of a Markdown passage as plain lines.

    Headings, images, tables and code blocks are left out; of links and emphasis the words stay.
    A "sentence" over 400 characters, as in subtitles without punctuation, is split at its line ends.
    """
    prose = _without_emphasis(_FENCE.sub("\n\n", text))
    sentences: list[str] = []
    for block in _blocks(prose):
        for sentence in vta.sentences.split_sentences(block, wrapped=True):
            pieces = sentence.split("\n") if len(sentence) > _LONG_SENTENCE else [_unwrap(sentence)]
            sentences.extend(clean for piece in pieces if (clean := " ".join(piece.split())))
    return sentences


def _without_emphasis(text: str) -> str:
    """The words of links and emphasis; code and formulas stay as they are (`__init__`)."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\ue000{len(kept) - 1}\ue001"

    text = KEPT.sub(keep, text.replace("\ue000", ""))
    text = _EMPHASIS.sub(r"\1", _STRONG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text))))
    return _KEPT_AT.sub(lambda found: kept[int(found[1])], text)


def join_sentences(sentences: Iterable[str]) -> str:
    """Sentences as one text; no space after Chinese punctuation."""
    text = ""
    for sentence in sentences:
        text += f"{'' if not text or text[-1] in '。．！？；”’」』）…' else ' '}{sentence}"
    return text


def escape_markdown(text: str) -> str:
    """One line of Markdown that shows `text` literally: without a link, HTML or a citation mark.

    Code spans and `$...$` stay as they are where they hold nothing of the kind.
    """
    line = " ".join(text.split())
    parts: list[str] = []
    end = 0
    for kept in KEPT.finditer(line):
        is_safe = kept.group(1) is not None or not UNSAFE_MATHS.search(kept.group())
        if is_safe and not re.search(r"\[\d+\]", kept.group()):
            parts += [_ACTIVE.sub(r"\\\g<0>", line[end : kept.start()]), kept.group()]
            end = kept.end()
    parts.append(_ACTIVE.sub(r"\\\g<0>", line[end:]))
    return _LEADING.sub(lambda m: (m.group(1) or "") + "\\", "".join(parts), count=1)


def escape_cell(text: str) -> str:
    """`escape_markdown` for a table: a bar inside code or `$...$` does not end the cell either."""
    return re.sub(r"(?<!\\)\|", r"\|", escape_markdown(text))


def _blocks(prose: str) -> list[str]:
    blocks: list[list[str]] = [[]]
    for raw in prose.split("\n"):
        line = raw.strip()
        if not line or _HEADING.match(line) or _SKIPPED_LINE.match(line):
            blocks.append([])
            continue
        if opening := _OPENS_BLOCK.match(line):
            blocks.append([])
            line = line[opening.end() :]
        blocks[-1].append(line)
    return ["\n".join(lines) for lines in blocks if lines]


def _unwrap(sentence: str) -> str:
    return _HAN_GAP.sub("", sentence)


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
    """A dedented code block in a fence that nothing in it can close; empty without code."""
    opening, *lines = block.strip("\n").splitlines()
    ticks = _FENCE_LINE.match(opening)
    if ticks is None:
        return ""
    if lines and lines[-1].strip().startswith(ticks[1]):
        lines = lines[:-1]
    code = textwrap.dedent("\n".join(lines)).strip("\n")
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
    """A list whose items are plain lines and blocks of code; what is nested keeps its depth.

    Line breaks of the author stay.
    """
    if not _ITEM.match(text.strip("\n")):
        return _lines(text.strip("\n").split("\n"), "")
    return "\n".join(filter(None, (_item(*item) for item in _items(text.strip("\n").splitlines()))))


def _items(lines: list[str]) -> list[list[str]]:
    """The items of a list: the words of each, then by turns a block of code and what goes on after it."""
    items: list[list[str]] = []
    rest = iter(lines)
    for line in rest:
        if items and (fence := _FENCE_LINE.match(line.lstrip())):
            code = takewhile(partial(_is_open, fence[1]), rest)
            items[-1] += [_code("\n".join((line.lstrip(), *code))), ""]
        elif opening := _ITEM.match(line):
            depth = min(len(opening[1]) // 2, 2)
            items.append([f"{'  ' * depth}{opening[2]} {line[opening.end() :].lstrip()}"])
        elif line.strip() and items:
            is_broken = items[-1][-1].endswith("  ")
            items[-1][-1] += f"\n{line.lstrip(' ')}" if is_broken else f" {line.strip()}"
    return items


def _is_open(fence: str, line: str) -> bool:
    """False for the line that closes a fence."""
    return not line.strip().startswith(fence)


def _item(first: str, *others: str) -> str:
    """An item as it is shown; empty where it holds nothing."""
    opening = _ITEM.match(first)
    if opening is None:
        return ""
    number, indent = re.match(r"\d+", opening[2]), " " * opening.end()
    parts = [_lines(first[opening.end() :].split("\n"), "")]
    for code, text in zip(others[::2], others[1::2], strict=True):
        parts += [code, _lines(text.strip().split("\n"), "")]
    body = textwrap.indent("\n".join(filter(None, parts)), indent)
    return f"{opening[1]}{f'{number[0]}.' if number else '-'} {body.removeprefix(indent)}" if body else ""


def _lines(lines: list[str], indent: str) -> str:
    """Lines that the author broke, each plain and escaped."""
    shown = ((_INDENT.match(line), escape_markdown(_plain(line))) for line in lines)
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
