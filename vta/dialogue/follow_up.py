"""What a later question wants: an operation on the last answer, an item of it, or more on its subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.dialogue.going_on import head_of
from vta.dialogue.operations import Operation, find_operation, find_scope, named_for_help
from vta.text import detect_language
from vta.types import FollowUp, Language, Mention, PastTurn, Route, Scope

_OF_THE_SAME = frozenset({Operation.SHORTER, Operation.SIMPLER, Operation.MORE, Operation.WHERE})
_NOT_OF_COURSE = (Route.CHIT_CHAT, Route.REFUSED)
_EXPLAINED = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
_AND = {Language.ZH: "和", Language.EN: " and "}
_NUMBERS = ("first|1st|一|1", "second|2nd|二|2", "third|3rd|三|3", "fourth|4th|四|4")
_ORDINALS = tuple(
    re.compile(
        rf"\bthe (?:{each}) (?:one|way|method|approach|kind|type|option|idea|point|step)\b|"
        rf"第(?:{each})(?:[个种类点条步]|种方法|个方法)(?:方法|办法|情况)?",
        re.IGNORECASE,
    )
    for each in _NUMBERS
)
_LINE = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)、])\s+(.+)$", re.MULTILINE)
_MARKS = re.compile(r"\[\d{1,3}\]|[*_`]")
_HEAD = re.compile(r"[:：]|\s[–—-]\s")
_COUNTED = re.compile(r"(?:有|分为|分成|可以用)[^，,]{0,4}?[两二三四2-4]大?[类种个][^，,]{0,4}[：:]?$")
_CLAUSE = re.compile(r"[。；;\n]")
_SUBJECT = re.compile(
    r"(?:一[类种]是|第[一二三四][类种]是)?(.{2,12}?)(?:是|在|把|将|指|用|通过|会|则|要|每|先|[，,：(（])"
)
_LONGEST_ITEM = 40


def read_follow_up(question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention]) -> FollowUp:
    """The question as it is, but for an operation, which is asked of the last answered question, and an
    item, which is named. Anything else that comes later carries the question that opened the subject.

    A call for help that names one thing asks simply for that, whatever was said before.
    """
    text, turns = question.strip(), [each for each in history if each.route not in _NOT_OF_COURSE]
    language = detect_language(text, Language.ZH)
    if named := named_for_help(text, [m.surface for m in mentions], language):
        names = dict.fromkeys(m.concept.name for m in mentions) or named
        form = _EXPLAINED[language].format(_AND[language].join(names))
        return FollowUp(question=form, wish=Operation.SIMPLER.wish, names=True)
    scope = find_scope(text, language)
    operation = None if mentions else find_operation(text, language)
    answered = [turn for turn in turns if turn.route is not Route.UNANSWERED] or turns
    if operation is not None and answered:
        own = [turn for turn in answered if find_operation(turn.question, language) is None] or answered
        form = f"{own[-1].standalone_question} {text}"
        if operation in _OF_THE_SAME:
            form = answered[-1].standalone_question
        return FollowUp(question=form, wish=operation.wish, scope=scope)
    if operation is not None or scope is not None or not turns:
        return FollowUp(question=question, scope=scope or (Scope.MOMENT if operation else None))
    if (item := name_ordinal(text, turns[-1].answer)) is not None:
        return FollowUp(question=item)
    return FollowUp(question=question, carried=f"{head_of(turns[-1])} {text}")


def name_ordinal(question: str, answer: str) -> str | None:
    """The question with the n-th item of the answer in the place of "the n-th one"; None where none is."""
    for n, pattern in enumerate(_ORDINALS):
        if found := pattern.search(question):
            items = list_items(answer)
            if n < len(items):
                return f"{question[: found.start()]}{items[n]}{question[found.end() :]}"
    return None


def list_items(answer: str) -> list[str]:
    """The heads of a list, or what the Chinese clauses after 两种 begin with; fewer than two are none."""
    plain = _MARKS.sub("", answer)
    heads = [_HEAD.split(line, maxsplit=1)[0].strip() for line in _LINE.findall(plain)]
    if len(heads) < 2:
        clauses = _CLAUSE.split(plain)
        at = next((n for n, clause in enumerate(clauses, start=1) if _COUNTED.search(clause)), len(clauses))
        heads = [match[1].strip() for clause in clauses[at:] if (match := _SUBJECT.match(clause.strip()))]
    heads = [head for head in heads if 0 < len(head) <= _LONGEST_ITEM]
    return heads if len(heads) > 1 else []
