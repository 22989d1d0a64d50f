"""The exercises of a course as its material sets them, and a try beside the reference. No verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from vta.headings import is_exercises
from vta.text import HAN, Analyser, normalise, stem
from vta.types.pairs import QAPair, Source

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
MOST_TERMS = 6
CLOSE = 0.01
"""How far apart, relative to the larger, two numbers may be that are the same but for rounding."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?/\s?\d+(?:\.\d+)?)?\s?%?")
_MATHEMATICS = re.compile(r"[$\\]+[a-z]*|[{}]")
_HAN = re.compile(rf"[{HAN}]")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a reference holds, as it writes it, by whether the try holds it too."""

    held: tuple[str, ...]
    lacking: tuple[str, ...]


def compare(attempt: str, reference: str, question: str, analyser: Analyser) -> Comparison:
    """By numbers where the reference has any, and by the content words that the question does not hold."""
    said = [_value(each) for each in find_numbers(attempt)]
    numbers = dict.fromkeys(find_numbers(reference))
    known = set(analyser.words(question))
    words = set(analyser.words(attempt)) | set(analyser.content_words(attempt))
    terms = [term for term in _terms(reference, analyser) if stem(term) not in known][:MOST_TERMS]
    has = {number: any(same_number(_value(number), each) for each in said) for number in numbers}
    has |= {
        term: stem(term) in words or (bool(_HAN.match(term)) and term in normalise(attempt)) for term in terms
    }
    return Comparison(
        held=tuple(each for each, is_held in has.items() if is_held),
        lacking=tuple(each for each, is_held in has.items() if not is_held),
    )


def find_numbers(text: str) -> list[str]:
    """The numbers of a text as they are written, in order: decimals, fractions, percentages."""
    return [each.strip() for each in _NUMBER.findall(_MATHEMATICS.sub(" ", normalise(text)))]


def same_number(one: float, other: float) -> bool:
    """Whether two numbers differ by no more than rounding."""
    return abs(one - other) <= CLOSE * max(abs(one), abs(other))


def _value(number: str) -> float:
    percent = number.endswith("%")
    above, _, below = number.rstrip("% ").replace(",", "").partition("/")
    value = float(above) / (float(below or 1) or 1.0)
    return value / 100 if percent else value


def _terms(text: str, analyser: Analyser) -> list[str]:
    """The content words of a text as it writes them, each once; numbers and single letters aside."""
    content = set(analyser.content_words(text))
    words = dict.fromkeys(analyser.segments(_MATHEMATICS.sub(" ", text)))
    return [
        word for word in words if stem(word) in content and len(word) > 1 and not any(map(str.isdigit, word))
    ]
