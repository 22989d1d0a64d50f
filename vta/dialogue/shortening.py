"""An answer in fewer words, without a language model: of each source's part the sentence that answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.sentences import sentence_spans
from vta.tokens import estimate_tokens
from vta.units import UnitKind, holds

MOST_LINES = 4
_SENTENCES = 2
MOST_KEPT = 0.8
"""Of the tokens of an answer: what keeps more is not shorter."""
_MARK = re.compile(r"\s?\[\d{1,3}\](?!\()")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_PART = re.compile(rf"{_MARK.pattern}\s*|\*\*\s*\n\s*|^\s*[-*+] (?:\*\*.+?\*\*[:：]\s*)?", re.MULTILINE)
_TITLE = re.compile(r"\*\*[^*]+\*\*")


def shortened(answer: str, marked: Sequence[str] = ()) -> str | None:
    """Two sentences of each part of an answer, with its citation marks; None where little is left out.

    They start at the sentence that is `marked` as in `vta.types.answers.Citation`, else at the first. A part
    ends with its marks, and each item of a list is a part. Code, tables, formulas and titles are left out,
    except the question above an FAQ answer and a first line that introduces the rest. Code or a table
    without a marked sentence is the answer itself, and is not shortened.
    """
    if not any(marked) and any(holds(kind, answer) for kind in (UnitKind.CODE, UnitKind.TABLE)):
        return None
    rest = answer
    for sentence in filter(None, marked):
        before, found, after = rest.partition(sentence)
        start = max((part.end() for part in _PART.finditer(before)), default=0)
        rest = before[:start] + found + after if found else rest
    kept: list[str] = []
    is_new = True
    for line in _prose(rest):
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
    marks = [each for line in kept[MOST_LINES:] for each in _MARK.findall(line)]
    text = _joined(kept[:MOST_LINES]) + "".join(f" {mark.strip()}" for mark in dict.fromkeys(marks))
    return text if text and estimate_tokens(text) <= MOST_KEPT * estimate_tokens(answer) else None


def _prose(answer: str) -> list[str]:
    """The lines of an answer that hold sentences."""
    starts = dict.fromkeys(answer.rfind("\n", 0, start) + 1 for start, _ in sentence_spans(answer))
    return [answer[start:].split("\n", 1)[0].rstrip() for start in starts]


def _beginning(line: str) -> str:
    return line[: [end for _, end in sentence_spans(line)][:_SENTENCES][-1]]


def _joined(lines: list[str]) -> str:
    """The lines as Markdown: items of one list stand together."""
    text = ""
    for line in lines:
        together = _ITEM.match(line) and _ITEM.match(text.rpartition("\n")[2])
        text += ("\n" if together else "\n\n" if text else "") + line
    return text
