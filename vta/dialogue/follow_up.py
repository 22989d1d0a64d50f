"""A later question: an operation on the last answer, or more on its subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import chain

from vta.course_life import rows_of
from vta.dialogue.history import already_said, head_of
from vta.kinds import Kind, kinds_of
from vta.languages import Language
from vta.patterns import read_patterns, read_table
from vta.text import Analyser, detect_language, normalise
from vta.types.answers import PastTurn, Route
from vta.types.concepts import Mention
from vta.types.questions import PLAIN, AnswerStyle, Scope

_APOSTROPHES = re.compile(r"['’‘`]")
_PUNCTUATION = re.compile(r"[，。？！、；：…～,.?!;:~\"“”()（）《》-]+")
_NOT_OF_COURSE = (Route.CHIT_CHAT, Route.REFUSED)
_EXPLAINED = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
_AND = {Language.ZH: "和", Language.EN: " and "}
_SUBJECT_WORDS = read_patterns("vta.dialogue", "words.toml", "subject")
_MOST_WORDS = 3
"""Content words of a question that "and" or a pronoun can make depend on the one before it."""
_NAMING_KINDS = frozenset({Kind.DEFINITION, Kind.TIME, Kind.PLACE})
"""Kinds of question that name what they ask about: "when is the midterm?"."""
_NO_LETTERS = re.compile(r"[\W_]+")


_LONGEST_OPERATION = 60
"""Characters; a longer question has its own subject."""
_NO_OPERATION = re.compile(r"^什么是|^what (?:is|are) an? |用[在到]?哪|\bwhere\b.*\b(?:us(?:e|ing)|wrong)\b")
"""Questions in the words of operations that are none: "what is an example", "where can I use this"."""


class Operation(StrEnum):
    """One thing to be done with the last answer."""

    IN_STEPS = "in_steps"
    WHY = "why"
    EXAMPLE = "example"
    CODE = "code"
    FORMULA = "formula"
    WHERE = "where"
    SHORTER = "shorter"
    SIMPLER = "simpler"
    MORE = "more"

    def style(self, already_said: tuple[str, ...]) -> AnswerStyle:
        """The form of answer that the operation asks for."""
        return AnswerStyle(
            kinds=frozenset({_KINDS[self]}) if self in _KINDS else frozenset(),
            shorter=self is Operation.SHORTER,
            simpler=self is Operation.SIMPLER,
            in_steps=self is Operation.IN_STEPS,
            already_said=already_said,
        )


_KINDS = {
    Operation.WHY: Kind.REASON,
    Operation.EXAMPLE: Kind.EXAMPLE,
    Operation.CODE: Kind.CODE,
    Operation.FORMULA: Kind.FORMULA,
    Operation.WHERE: Kind.PLACE,
}
_OF_THE_SAME = frozenset(
    {Operation.IN_STEPS, Operation.SHORTER, Operation.SIMPLER, Operation.MORE, Operation.WHERE}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question in the light of the turns before it; the fields are those of `UnderstoodQuestion`."""

    resolved: str
    standalone: str
    style: AnswerStyle = PLAIN
    scope: Scope | None = None
    is_operation: bool = False


def read_follow_up(
    question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention], analyser: Analyser
) -> FollowUp:
    """The question, or an operation asked of the last answered question.

    A question that depends on the dialogue gets the question that opened its subject as context. A call for
    help that names one thing asks for that in simple words, whatever was said before. An operation without
    an answer before it is a question like any other, and so is "where?" after "when is the midterm?".
    """
    text, turns = question.strip(), [each for each in history if each.route not in _NOT_OF_COURSE]
    language = detect_language(text, Language.ZH)
    scope = None

    def alone(resolved: str, operation: Operation | None = None, *, is_operation: bool = False) -> FollowUp:
        style = operation.style(already_said(history)) if operation else PLAIN
        return FollowUp(
            resolved=resolved, standalone=resolved, style=style, scope=scope, is_operation=is_operation
        )

    if asks_for_help(text, [m.surface for m in mentions], language):
        names = dict.fromkeys(m.concept.name for m in mentions)
        return alone(_EXPLAINED[language].format(_AND[language].join(names)), Operation.SIMPLER)
    scope = find_scope(text, language)
    operation = None if mentions else find_operation(text, language)
    if operation is Operation.WHERE and turns and Kind.PLACE in kinds_of(text):
        operation = None if rows_of(turns[-1].standalone_question) else operation
    answered = [turn for turn in turns if turn.route is not Route.UNANSWERED] or turns
    if operation is not None and answered:
        own = [turn for turn in answered if find_operation(turn.question, language) is None] or answered
        resolved = f"{own[-1].standalone_question} {text}"
        if operation in _OF_THE_SAME:
            resolved = answered[-1].standalone_question
        return alone(resolved, operation, is_operation=True)
    if operation is not None or scope is not None or not turns:
        return alone(question)
    if stands_alone(text, mentions, analyser, turns[-1].standalone_question):
        return alone(question)
    return FollowUp(resolved=question, standalone=f"{head_of(turns[-1])} {text}")


def find_operation(question: str, language: Language) -> Operation | None:
    """The operation on the last answer that a question asks for; None where it names another subject."""
    plain = _plain_words(question)
    if len(plain) > _LONGEST_OPERATION or _NO_OPERATION.search(plain):
        return None
    found = _find_cue("operations", language, plain)
    return None if found is None else Operation(found)


def asks_for_help(question: str, names: Sequence[str], language: Language) -> bool:
    """Whether a question is a call for help with what it names, as it writes it: "I don't get recursion"."""
    plain = _plain_words(question)
    for name in sorted(map(_plain_words, names), key=len, reverse=True):
        plain = plain.replace(name, " ")
    is_short = bool(names) and not kinds_of(question) and len(plain) <= _LONGEST_OPERATION
    return is_short and _find_cue("operations", language, plain) == Operation.SIMPLER


def find_scope(question: str, language: Language) -> Scope | None:
    """How much of the student's place a question is about; None for any other question."""
    plain = _plain_words(question)
    found = None if len(plain) > _LONGEST_OPERATION else _find_cue("here", language, plain)
    return None if found is None else Scope(found)


def _plain_words(question: str) -> str:
    """The normalised text without apostrophes and punctuation."""
    return _PUNCTUATION.sub(" ", _APOSTROPHES.sub("", normalise(question))).strip()


def _find_cue(table: str, language: Language, plain: str) -> str | None:
    """The first cue of a table, by its order, in a text of nothing but cues and fillers; else None.

    The words of operations may stand in questions about a place too.
    """
    cues, allowed = _cues(table, language)
    if not allowed.fullmatch(plain):
        return None
    return next((name for name, pattern in cues.items() if pattern.search(plain)), None)


@cache
def _cues(table: str, language: Language) -> tuple[dict[str, re.Pattern[str]], re.Pattern[str]]:
    """The cues of a table by name, and a text of nothing but words that may stand in a question with one."""
    cues: dict[str, list[str]] = {}
    allowed: list[str] = []
    for name in {"operations", table}:
        listed = dict(read_table("vta.dialogue", f"{name}.toml")[language])
        allowed += listed.pop("fillers").split() + list(chain.from_iterable(listed.values()))
        cues = listed if name == table else cues
    only = re.compile(rf"(?:\s|{_any_of(allowed)})*+")
    return {name: re.compile(_any_of(words)) for name, words in cues.items()}, only


def _any_of(words: Iterable[str]) -> str:
    """The expression of one of the words, longer ones first; Latin ones only as whole words."""
    longest = sorted(map(re.escape, set(words)), key=len, reverse=True)
    whole = r"(?<![a-z0-9]){}(?![a-z0-9])"
    return "|".join(whole.format(word) if word[0].isascii() else word for word in longest)


def stands_alone(question: str, mentions: Sequence[Mention], analyser: Analyser, before: str = "") -> bool:
    """Whether a later question can be understood without the turns before it.

    It cannot where it is short and begins with "and", or refers by a pronoun before it names a concept; nor
    where its only content word is no concept ("how many folds?") and it does not ask what, when or where, or
    how the course is run after a question `before` that does not; nor where it asks with no content word.
    """
    plain = normalise(question)
    words, kinds = set(analyser.own_words(question)), kinds_of(question)
    named_at = min((mention.start for mention in mentions), default=len(question))
    if len(words) <= _MOST_WORDS and (
        _SUBJECT_WORDS["begins"].search(plain)
        or _SUBJECT_WORDS["refers"].search(normalise(question[:named_at]))
    ):
        return False
    if mentions or len(words) > 1 or (rows_of(question) and not rows_of(before)):
        return True
    if not words:
        return not kinds
    is_bare = len(_NO_LETTERS.sub("", plain)) <= max(map(len, words)) + 1  # "graphs": "graph"
    return is_bare or not _NAMING_KINDS.isdisjoint(kinds)
