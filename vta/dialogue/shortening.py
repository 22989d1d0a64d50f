"""An answer in fewer words, without a language model: of each source's part the first sentence."""

from __future__ import annotations

import re

from vta.sentences import sentence_spans
from vta.tokens import estimate_tokens

MOST_LINES = 4
LEAST = 6
"""Tokens of a sentence that can stand alone."""
MOST_KEPT = 0.8
"""Of the tokens of an answer: what keeps more is not shorter."""
_MARK = re.compile(r"\s?\[\d{1,3}\](?!\()")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_TITLE = re.compile(r"\*\*[^*]+\*\*")


def shortened(answer: str) -> str | None:
    """The first sentence of each part of an answer, with its citation marks; None where little is left out.

    Both are Markdown. A part ends with its marks; an item of a list is one of its own. Code, tables, formulas
    and titles go, but for the question above an answer of the FAQ; an opening that says what follows stays.
    """
    kept: list[str] = []
    is_new = True
    for line in _prose(answer):
        marks = [f" {mark.strip()}" for mark in dict.fromkeys(_MARK.findall(line))]
        bare = _MARK.sub("", line).strip()
        is_item = _ITEM.match(line) is not None
        if _TITLE.fullmatch(bare) or (bare.endswith((":", "：")) and kept):
            is_question = bare.endswith(("?**", "？**"))
            kept += [bare] if is_question else []
            is_new = is_new or is_question
            continue
        if sentence_spans(bare) and (is_new or is_item):  # none in a fence inside a list
            kept.append(_beginning(bare) + "".join(marks))
        elif kept:
            kept[-1] += "".join(mark for mark in marks if mark not in kept[-1])
        is_new = bool(marks) or is_item or bare.endswith((":", "："))
    text = _joined(kept[:MOST_LINES])
    return text if text and estimate_tokens(text) <= MOST_KEPT * estimate_tokens(answer) else None


def _prose(answer: str) -> list[str]:
    """The lines of an answer that hold sentences."""
    starts = dict.fromkeys(answer.rfind("\n", 0, start) + 1 for start, _ in sentence_spans(answer))
    return [answer[start:].split("\n", 1)[0].rstrip() for start in starts]


def _beginning(line: str) -> str:
    """The first sentence of a line, with the next where it says next to nothing alone ("No.")."""
    ends = [end for _, end in sentence_spans(line)]
    return line[: next((end for end in ends if estimate_tokens(line[:end]) >= LEAST), ends[-1])]


def _joined(lines: list[str]) -> str:
    """The lines as Markdown: items of one list stand together."""
    text = ""
    for line in lines:
        together = _ITEM.match(line) and _ITEM.match(text.rpartition("\n")[2])
        text += ("\n" if together else "\n\n" if text else "") + line
    return text
