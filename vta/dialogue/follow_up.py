"""What a later question wants: an operation on the last answer, an item of it, or more on its subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from vta.dialogue.continuation import head_of
from vta.kinds import Kind, kinds_of
from vta.languages import Language
from vta.patterns import read_patterns, read_table
from vta.text import Analyser, detect_language, normalise
from vta.types.answers import PastTurn, Route
from vta.types.concepts import Mention
from vta.types.questions import FollowUp, Scope, Wish

_APOSTROPHES = re.compile(r"['’‘`]")
_PUNCTUATION = re.compile(r"[，。？！、；：…～,.?!;:~\"“”()（）《》-]+")
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
_SUBJECT_WORDS = read_patterns("vta.dialogue", "words.toml", "subject")
_MOST_WORDS = 3
"""Content words of a question that "and" or a pronoun can make depend on the one before it."""
_NAMING_KINDS = frozenset({Kind.DEFINITION, Kind.TIME, Kind.PLACE})
"""Kinds of question that name what they ask about: "when is the midterm?"."""
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class WordTable:
    """The cues by name, in the order in which they count, and every word that may stand beside them."""

    cues: Mapping[str, re.Pattern[str]]
    allowed: re.Pattern[str]

    def find(self, plain: str) -> str | None:
        """The first cue of a text in which nothing stands but cues and fillers; else None."""
        if self.allowed.sub(" ", plain).strip():
            return None
        return next((name for name, pattern in self.cues.items() if pattern.search(plain)), None)


def plain_words(question: str) -> str:
    """The normalised text without apostrophes and punctuation."""
    return _PUNCTUATION.sub(" ", _APOSTROPHES.sub("", normalise(question))).strip()


@cache
def word_table(name: str, language: Language, *, beside: str | None = None) -> WordTable:
    """The table of a file; the words of the file `beside` may stand in its questions too."""
    cues, words = _read(name, language)
    more = _read(beside, language)[1] if beside else ()
    return WordTable({each: _any_of(listed) for each, listed in cues.items()}, _any_of((*words, *more)))


def _read(name: str, language: Language) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The cues of a file, and all its words."""
    cues = dict(read_table("vta.dialogue", f"{name}.toml")[language])
    fillers = cues.pop("fillers").split()
    return cues, (*fillers, *(word for listed in cues.values() for word in listed))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Matches one of the words, longer ones first; Latin ones only as whole words."""
    longest = sorted(map(re.escape, set(words)), key=len, reverse=True)
    whole = r"(?<![a-z0-9]){}(?![a-z0-9])"
    return re.compile("|".join(whole.format(word) if word[0].isascii() else word for word in longest))


_LONGEST_OPERATION = 60
"""Characters; a longer question says something of its own."""
_DEFINES = re.compile(r"^什么是|^what (?:is|are) an? ")


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

    @property
    def wish(self) -> Wish:
        """How the answer to it is wanted."""
        kinds = frozenset({_KINDS[self]}) if self in _KINDS else frozenset()
        return Wish(
            kinds=kinds,
            shorter=self is Operation.SHORTER,
            simpler=self is Operation.SIMPLER,
            in_steps=self is Operation.IN_STEPS,
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


def find_operation(question: str, language: Language) -> Operation | None:
    """What the question wants done with the last answer; None where it says anything of its own."""
    plain = plain_words(question)
    if len(plain) > _LONGEST_OPERATION or _DEFINES.match(plain):
        return None
    found = word_table("operations", language).find(plain)
    return None if found is None else Operation(found)


def asks_for_help(question: str, names: Sequence[str], language: Language) -> bool:
    """Whether a question is a call for help with what it names, as it writes it: "I don't get recursion"."""
    plain = plain_words(question)
    for name in sorted(map(plain_words, names), key=len, reverse=True):
        plain = plain.replace(name, " ")
    is_short = bool(names) and not kinds_of(question) and len(plain) <= _LONGEST_OPERATION
    return is_short and word_table("operations", language).find(plain) == Operation.SIMPLER


def find_scope(question: str, language: Language) -> Scope | None:
    """How much of the place where the student is a question is about; None for any other question."""
    plain = plain_words(question)
    if len(plain) > _LONGEST_OPERATION:
        return None
    found = word_table("here", language, beside="operations").find(plain)
    return None if found is None else Scope(found)


def read_follow_up(
    question: str, *, history: Sequence[PastTurn], mentions: Sequence[Mention], analyser: Analyser
) -> FollowUp:
    """The question as it is, but for an operation, which is asked of the last answered question, and an
    item, which is named. Where it does not stand alone it carries the question that opened the subject.

    A call for help that names one thing asks simply for that, whatever was said before. An operation without
    an answer before it is a question like any other.
    """
    text, turns = question.strip(), [each for each in history if each.route not in _NOT_OF_COURSE]
    language = detect_language(text, Language.ZH)
    if asks_for_help(text, [m.surface for m in mentions], language):
        names = dict.fromkeys(m.concept.name for m in mentions)
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
        return FollowUp(question=question, scope=scope)
    if (item := name_ordinal(text, turns[-1].answer)) is not None:
        return FollowUp(question=item)
    if stands_alone(text, mentions, analyser):
        return FollowUp(question=question)
    return FollowUp(question=question, carried=f"{head_of(turns[-1])} {text}")


def stands_alone(question: str, mentions: Sequence[Mention], analyser: Analyser) -> bool:
    """Whether a later question can be understood without the turns before it.

    It cannot where it is short and begins with "and", or refers by a pronoun before it names a concept; nor
    where its only content word is no concept ("how many folds?") and it does not ask what, when or where.
    """
    plain = normalise(question)
    words = set(analyser.content_words(question))
    named_at = min((mention.start for mention in mentions), default=len(question))
    if len(words) <= _MOST_WORDS and (
        _SUBJECT_WORDS["begins"].search(plain)
        or _SUBJECT_WORDS["refers"].search(normalise(question[:named_at]))
    ):
        return False
    if mentions or len(words) > 1:
        return True
    is_bare = bool(words) and len(_NO_LETTERS.sub("", plain)) <= max(map(len, words)) + 1  # "graphs": "graph"
    return is_bare or (bool(words) and not _NAMING_KINDS.isdisjoint(kinds_of(question)))


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
