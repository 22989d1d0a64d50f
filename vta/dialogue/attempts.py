"""A student's try beside the reference: which of its numbers and key terms it holds. No verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vta.text import HAN, Analyser, normalise, stem

MOST_TERMS = 6
CLOSE = 0.01
"""How far apart, relative to the larger, two numbers may be that are the same but for rounding."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?/\s?\d+(?:\.\d+)?)?\s?%?")
_MATHEMATICS = re.compile(r"[$\\]+[a-z]*|[{}]")
_HAN = re.compile(rf"[{HAN}]")


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


def holds_number(text: str, numbers: list[str]) -> bool:
    """Whether a text holds one of these numbers."""
    values = [_value(each) for each in find_numbers(text)]
    return any(same_number(_value(number), value) for number in numbers for value in values)


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
