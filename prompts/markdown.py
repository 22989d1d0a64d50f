"""Course text made ready to stand inside an answer: plain sentences, and no Markdown of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vta.sentences import ABBREVIATIONS, BEFORE_NUMBERS
from vta.text import HAN

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)(?:\{[^}\n]{0,200}\})?")
_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\([^()\n]{0,2000}\)")
_STRONG = re.compile(r"\*\*|(?<!\w)__|__(?!\w)")
_SKIPPED_LINE = re.compile(r"^(?:\||[-=*_]{3,}$)")
_HEADING = re.compile(r"^\#{1,6}(?:\s|$)")
_OPENS_BLOCK = re.compile(r"^(?:[-*+]|\d{1,3}[.)]|>)\s+")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_HAN_GAP = re.compile(rf"(?<=[\u3000-\u303f{HAN}\uff00-\uffef])\n(?=[\u3000-\u303f{HAN}\uff00-\uffef])")
# For course texts, with wrapped lines; `vta.sentences` is for answers.
_SENTENCE_END = re.compile(
    rf"(?<=[。！？；])(?![。！？；”’」』）])|(?<=[。！？；][”’」』）])|(?<=[.!?])\s+(?=[A-Z0-9“\"'({HAN}`$])"
)
_ABBREVIATION = re.compile(rf"\b(?:{ABBREVIATIONS}|{BEFORE_NUMBERS}|etc|[A-Z])\.$", re.IGNORECASE)
_LONG_SENTENCE = 400
KEPT = re.compile(r"(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)|\${1,2}[^$\n]+\${1,2}(?!\d)")
UNSAFE_MATHS = re.compile(r"`|<[A-Za-z/!?]|\]\s*[(\[]|\[\d+\]")
_ACTIVE = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_LEADING = re.compile(r"^(?=[#+=:>-])|^(\d+)(?=[.)])")


def split_sentences(text: str) -> list[str]:
    """The sentences of a Markdown passage as plain lines.

    Headings, images, tables and code blocks are left out; of links and emphasis the words stay.
    A "sentence" over 400 characters, as in subtitles without punctuation, is split at its line ends.
    """
    prose = _FENCE.sub("\n\n", text)
    prose = _EMPHASIS.sub(r"\1", _STRONG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", prose))))
    sentences: list[str] = []
    for block in _blocks(prose):
        for sentence in _join_abbreviations(_SENTENCE_END.split(block)):
            pieces = sentence.split("\n") if len(sentence) > _LONG_SENTENCE else [_unwrap(sentence)]
            sentences.extend(clean for piece in pieces if (clean := " ".join(piece.split())))
    return sentences


def join_sentences(sentences: Iterable[str]) -> str:
    """Sentences as one text; no space after Chinese punctuation."""
    text = ""
    for sentence in sentences:
        text += f"{'' if not text or text[-1] in '。！？；”’」』）…' else ' '}{sentence}"
    return text


def escape_markdown(text: str) -> str:
    """One line of Markdown that shows `text` as it is: no link, no HTML, no citation mark of its own.

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


def _join_abbreviations(pieces: list[str]) -> list[str]:
    joined: list[str] = []
    for piece in pieces:
        if joined and _ABBREVIATION.search(joined[-1]):
            joined[-1] += f" {piece}"
        else:
            joined.append(piece)
    return joined


def _unwrap(sentence: str) -> str:
    return _HAN_GAP.sub("", sentence)
