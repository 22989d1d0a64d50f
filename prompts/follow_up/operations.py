"""What a question wants of the last answer ("why?"), or of the place where the student is ("这里")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from prompts.follow_up.words import plain_words, word_table
from vta.kinds import Kind, kinds_of
from vta.types import Language, Scope, Wish

_LONGEST = 60
"""Characters; a longer question says something of its own."""
_DEFINES = re.compile(r"^什么是|^what (?:is|are) an? ")
_NOT_UNDERSTOOD = re.compile(
    r"[不没](?:\w{0,3})(?:懂|明白|理解|会)|"
    r"(?:dont|didnt|cant|cannot|not) (?:\w+ )?(?:get|understand|follow)\b|"
    r"\blike im\b|\b(?:simple|easy|plain) (?:terms|words|english)\b|\beli ?5\b"
)
_OF_AN_ANSWER = re.compile(
    r"^第|(?:步|推导|证明|题|解释)$|\b(?:first|second|third|explanation|reasoning|proof|derivation|idea)\b"
)


class Operation(StrEnum):
    """One thing to be done with the last answer."""

    WHY = "why"
    EXAMPLE = "example"
    CODE = "code"
    FORMULA = "formula"
    WHERE = "where"
    SHORTER = "shorter"
    SIMPLER = "simpler"
    MORE = "more"

    @property
    def wish(self) -> Wish:
        """How the answer to it is wanted."""
        kinds = frozenset({_KINDS[self]}) if self in _KINDS else frozenset()
        return Wish(kinds=kinds, shorter=self is Operation.SHORTER, simpler=self is Operation.SIMPLER)


_KINDS = {
    Operation.WHY: Kind.REASON,
    Operation.EXAMPLE: Kind.EXAMPLE,
    Operation.CODE: Kind.CODE,
    Operation.FORMULA: Kind.FORMULA,
    Operation.WHERE: Kind.PLACE,
}


def find_operation(question: str, language: Language) -> Operation | None:
    """What the question wants done with the last answer; None where it says anything of its own."""
    plain = plain_words(question)
    if len(plain) > _LONGEST or _DEFINES.match(plain):
        return None
    found = word_table("operations", language).find(plain)
    return None if found is None else Operation(found)


def named_for_help(question: str, names: Sequence[str], language: Language) -> tuple[str, ...]:
    """What a call for help is about, where it says nothing else: "I don't get recursion"; else nothing.

    `names` are those that the question is known to name, as it writes them; without any it is its only words
    of their own.
    """
    plain, table = plain_words(question), word_table("operations", language)
    if kinds_of(question) or not (names or _NOT_UNDERSTOOD.search(plain)):
        return ()
    found = tuple(names) or (table.rest(plain),)
    if not names and _OF_AN_ANSWER.search(found[0]):
        return ()
    for name in sorted(map(plain_words, found), key=len, reverse=True):
        plain = plain.replace(name, " ")
    return found if found[0] and len(plain) <= _LONGEST and table.find(plain) == Operation.SIMPLER else ()


def find_scope(question: str, language: Language) -> Scope | None:
    """How much of the place where the student is a question is about; None for any other question."""
    plain = plain_words(question)
    if len(plain) > _LONGEST:
        return None
    found = word_table("here", language, beside="operations").find(plain)
    return None if found is None else Scope(found)
