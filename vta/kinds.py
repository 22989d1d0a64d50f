"""The kind of thing that a question asks for, by its words: a reason, an example, code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from vta.patterns import read_patterns
from vta.text import normalise


class Kind(StrEnum):
    """One kind of thing that a question can ask for."""

    REASON = "reason"
    DIFFERENCE = "difference"
    PLACE = "place"
    TIME = "time"
    PERSON = "person"
    AMOUNT = "amount"
    MANNER = "manner"
    MEMBERS = "members"
    EXAMPLE = "example"
    CODE = "code"
    FORMULA = "formula"
    USE = "use"
    DEFINITION = "definition"


_PREREQUISITES = re.compile(
    r"先(?:学|修|看|掌握|了解|会)(?:什么|哪些|啥)|前置|先修|\bprerequisites?\b|"
    r"\bwhat\b.*\b(?:study|learn|know|read|understand)\b.*\b(?:before|first)\b"
)
_CLAUSE = re.compile(r"\band\b|[,，;；。?？]")
_PATTERNS = {Kind(name): pattern for name, pattern in read_patterns("vta", "words/kinds.toml").items()}


@lru_cache(maxsize=10_000)
def kinds_of(question: str) -> frozenset[Kind]:
    """The kinds that the words of a question speak of; empty where they name none, as in "can I ...?".

    "What is the difference ...?" asks for the difference, not for a definition; "what is dropout and why does
    it help" asks for both.
    """
    plain = normalise(question)
    found = _named_in(plain)
    alone = any(_named_in(clause) == {Kind.DEFINITION} for clause in _CLAUSE.split(plain))
    return frozenset(found if alone else found - {Kind.DEFINITION} or found)


def _named_in(plain: str) -> set[Kind]:
    return {kind for kind, pattern in _PATTERNS.items() if pattern.search(plain)}


def asks_alike(question: str, wordings: Iterable[str]) -> bool:
    """Whether a question may ask for the same kind of thing as one of the wordings of another.

    "How do I avoid overfitting?" and "What is overfitting?" share all their content words and do not. Where
    either names no kind, nothing speaks against it.
    """
    asked = kinds_of(question)
    return not asked or any(not kinds or kinds & asked for kinds in map(kinds_of, wordings))


def asks_prerequisites(question: str) -> bool:
    """Whether a question asks what should be known before something."""
    return _PREREQUISITES.search(normalise(question)) is not None


def asks_definition(question: str) -> bool:
    """Whether a question asks for nothing but what something is, judging by its words."""
    return kinds_of(question) <= {Kind.DEFINITION}
