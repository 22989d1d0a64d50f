"""The exercises of a course, as its own material sets them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from vta.headings import is_exercises
from vta.text import normalise
from vta.types import QAPair, Source

_ANSWERS = re.compile(
    r"(?:sample |reference )?(?:answers?|solutions?)(?: key)?|(?:参考|习题|练习)?(?:答案|解答)"
)
_ANSWERS_LINE = re.compile(
    r"^\W*(?:(?:sample |reference )?(?:answers?|solutions?)|(?:参考)?(?:答案|解答))\W*[:：]\s*",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"^ ?(?:\d{1,2}[.)、．]|[-*+])\s+(?=\S)", re.MULTILINE)
_NUMBERING = re.compile(r"^[\d.、\s#]+")
_BRACKETED = re.compile(r"(?<=[。？！.?!])\s*[(（]((?:[^()（）\n]|[(（][^()（）\n]*[)）]){1,200})[)）]\s*$")
_REMARK = re.compile(r"提示|选做|可选|参见|见|例如|hint|optional|see |e\.g\.|for example", re.IGNORECASE)
_SHORTEST, _LONGEST = 6, 800
"""Characters of an exercise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """An exercise and the answer that the material gives, if any. `pair` is the passage that it stands in."""

    question: str
    reference: str | None
    pair: QAPair


def read_exercises(pairs: Iterable[QAPair]) -> tuple[Exercise, ...]:
    """The exercises of passages under headings such as Exercises and 练习, in their order.

    A list item is an exercise. Its answer stands in brackets at its end, after the item's number in a
    paragraph "Answers: 1: ...", or in a section of answers that follows in the same document.
    """
    found: list[Exercise] = []
    section: list[Exercise] = []
    for (document, path), passages in groupby(pairs, key=lambda pair: (pair.document, _path(pair))):
        heading = _NUMBERING.sub("", normalise(path[-1])).strip(" :：") if path else ""
        if is_exercises(heading):
            section = list(_read_section(list(passages)))
            found += section
        elif _ANSWERS.fullmatch(heading) and section and section[0].pair.document == document:
            answers = _numbered("\n".join(pair.answer for pair in passages), len(section))
            found[-len(section) :] = [
                replace(each, reference=each.reference or answers.get(n)) for n, each in enumerate(section, 1)
            ]
            section = []
    return tuple(found)


def _path(pair: QAPair) -> tuple[str, ...]:
    return pair.locator.heading_path if pair.source is Source.MATERIAL else ()


def _read_section(passages: list[QAPair]) -> Iterator[Exercise]:
    text = "\n".join(pair.answer for pair in passages)
    line = _ANSWERS_LINE.search(text)
    items = list(_items(text[: line.start()] if line else text))
    answers = _numbered(text[line.end() :], len(items)) if line else {}
    for n, item in enumerate(items, 1):
        given = _BRACKETED.search(item)
        if given is not None and _REMARK.match(given[1]):
            given = None
        question = item[: given.start()] if given else item
        pair = next((each for each in passages if item[:40] in each.answer), passages[0])
        if _SHORTEST <= len(question) <= _LONGEST:
            yield Exercise(question=question, reference=given[1] if given else answers.get(n), pair=pair)


def _items(text: str) -> Iterator[str]:
    starts = list(_ITEM.finditer(text))
    ends = [each.start() for each in starts[1:]]
    for start, end in zip(starts, [*ends, None][: len(starts)], strict=True):
        item = re.split(r"\n\s*\n(?! {2})", text[start.end() : end])[0].strip()
        if item:
            yield item


def _numbered(text: str, most: int) -> dict[int, str]:
    """Answers by number: "1: first. 2: second."; a text without numbers answers the only exercise."""
    places: list[tuple[int, int]] = []
    at = 0
    for n in range(1, most + 1):
        found = re.compile(rf"(?<![\d.])[(（]?{n}\s*(?:[:：)）、]|\.(?!\d)|(?=[(（]))\s*").search(text, at)
        if found is None:
            break
        places.append(found.span())
        at = found.end()
    if not places:
        return {1: _bare(text)} if most == 1 and _bare(text) else {}
    ends = [start for start, _ in places[1:]] + [len(text)]
    answers = {
        n: _bare(text[start:end]) for n, ((_, start), end) in enumerate(zip(places, ends, strict=True), 1)
    }
    return {n: answer for n, answer in answers.items() if answer}


def _bare(text: str) -> str:
    return text.strip().strip("*_;；").strip()
