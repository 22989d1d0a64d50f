"""Words by which a student asks for help, whatever the mood around them, and words of mere courtesy."""

from __future__ import annotations

from vta.patterns import read_patterns
from vta.text import normalise

_WORDS = read_patterns("intent", "asking.toml")


def asks_for_help(text: str) -> bool:
    """Whether the words ask for help, an explanation or a check."""
    plain = normalise(text)
    return _WORDS["asks"].search(plain) is not None and _WORDS["of_the_assistant"].search(plain) is None


def concerns_course(text: str) -> bool:
    """Whether the words ask for help, or name what a course is made of: homework, exams, lectures."""
    return _WORDS["of_course"].search(normalise(text)) is not None or asks_for_help(text)


def is_courtesy(text: str) -> bool:
    """Whether nothing but thanks, a greeting or a farewell is said."""
    return _WORDS["courtesy"].fullmatch(normalise(text)) is not None
