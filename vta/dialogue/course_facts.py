"""Finds the facts of a course that a question asks for, and nothing where it may ask for more.

A question asks for a fact where each of its words is one of course life, of asking, or of the fact's name.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from itertools import accumulate, islice
from typing import Protocol

from prompts.phrases import TEXTS
from vta.course_life import names_of, outside
from vta.dialogue.fact_wording import is_past, moment_of, next_of, sentence
from vta.dialogue.plan import FixedAnswer
from vta.kinds import Kind, kinds_of
from vta.languages import Language
from vta.numerals import settled
from vta.patterns import read_patterns
from vta.ports import Clock
from vta.text import normalise, word_list
from vta.types.courses import CourseId, PairId
from vta.types.facts import DATED, RULES, CourseFacts, Fact, FactKind
from vta.types.pairs import Candidate, QAPair, Source

_ASKS = read_patterns("vta.dialogue", "course_facts.toml", "asks")
_WORDS = read_patterns("vta.dialogue", "course_facts.toml", "words")
_NUMERAL = re.compile(
    r"第 ?([一二三四五六七八九十]+)|"
    r"(?<=[\u4e00-\u9fff])(?<![周期拜])([一二三四五六七八九十]+)(?![个次些下起点天])"
)
_DIGITS = re.compile(r"(?<![\d.:])\d{1,3}(?![\d.:])")
_SEAM = re.compile(r"(?<=[\u4e00-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u4e00-\u9fff])")
_LEFT = re.compile(r"[a-z][a-z']*|[\u4e00-\u9fff]|\d+")
_VALUES = {digit: n for n, digit in enumerate("零一二三四五六七八九")}
_DUE = frozenset(("deadline", "hand in"))
_POINTS = frozenset(
    "why they them their he she his her then 你 他 她 它 它们 他们 自己 为什么 为何 为啥".split()
)
_FRAME = _DUE | {"room"}
"""Rows of course life that say what is asked of a thing, and name none."""
_OWN_ROWS = {
    FactKind.EXAM: frozenset(("exam",)),
    FactKind.LECTURE: frozenset(("lecture",)),
    FactKind.OFFICE_HOUR: frozenset(("office hours",)),
    FactKind.GRADING: frozenset(("grade", "worth")),
    FactKind.LATE: frozenset(("late",)),
}
_TOPICS = {
    FactKind.LATE: frozenset(("late", "extension", "penalty", "ill")),
    FactKind.GRADING: frozenset(
        ("grade", "curve", "pass", "extra credit", "regrade", "participation", "attendance")
    ),
    FactKind.COLLABORATION_AI: frozenset(("collaborate", "cheating", "chatgpt")),
}
_ROLES = frozenset(("ta", "instructor", "email"))
_SOON = timedelta(days=7)
MOST_LISTED = 6
_FRAME_OF_ONE = 80
"""Characters of a sentence beside a fact's own."""
MOST_READ = 6_000
"""Characters of the facts that a language model reads."""


class FactSource(Protocol):
    """The facts of courses."""

    def facts(self, course_id: CourseId) -> CourseFacts:
        """Those of a course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFacts:
    """The facts that answer a question at a moment, or such as a language model may answer it from."""

    facts: tuple[Fact, ...]
    time_zone: str
    now: datetime
    is_answer: bool = True

    def text(self, language: Language) -> str:
        """The answer, one sentence a fact, a list where there are several."""
        lines = [sentence(each, self.time_zone, now=self.now, language=language) for each in self.facts]
        return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)

    def plan(self, course_id: CourseId, language: Language, floor: float) -> FixedAnswer:
        """The answer as a plan that cites the facts."""
        found = self.candidate(course_id, language, floor)
        return FixedAnswer(candidates=(found,), text=f"{self.text(language)} [1]")

    def candidate(self, course_id: CourseId, language: Language, floor: float) -> Candidate:
        """The facts, with their notes, as one source of S = `floor`."""
        text, notes = self.text(language), [each.note for each in self.facts if each.note]
        passage = "\n\n".join((text, *(each for each in notes if each not in text)))
        pair = QAPair(
            id=PairId(f"fact-{self.facts[0].id}"),
            course_id=course_id,
            source=Source.MATERIAL,
            question=TEXTS[language]["facts_title"],
            answer=passage,
        )
        return Candidate(pair=pair, bm25=0.0, weight=1.0, score=floor)


class FactFinder:
    """Finds facts in a course for a question, as they stand now."""

    def __init__(self, source: FactSource, clock: Clock, *, has_model: bool = False) -> None:
        """With `has_model` a question that no fact answers finds them all, for the model to read."""
        self._source, self._clock, self._has_model = source, clock, has_model

    def find(self, course_id: CourseId, question: str) -> FoundFacts | None:
        """The facts that a question asks for; None where it asks for none of them."""
        known, now = self._source.facts(course_id), self._clock.now()
        found = find_facts(question, known, now=now)
        told = found or (_readable(known.facts) if self._has_model else ())
        if not told:
            return None
        return FoundFacts(facts=told, time_zone=known.time_zone, now=now, is_answer=bool(found))


def _readable(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The first facts, of at most `MOST_READ` characters."""
    ends = accumulate(len(f"{each.name}{each.place}{each.link}{each.note}") + _FRAME_OF_ONE for each in facts)
    return tuple(each for each, end in zip(facts, ends, strict=True) if end <= MOST_READ)


def find_facts(question: str, known: CourseFacts, *, now: datetime) -> tuple[Fact, ...]:
    """The facts that a question asks for, in the order of an answer."""
    if not known.facts:
        return ()
    asked = _read(question)
    return tuple(
        _rules(asked, known.facts)
        or _dated(asked, known, now)
        or _others(asked, known.facts)
        or _notes(asked, known.facts)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A text by its rows of course life and its numbers; `left` is outside them and not of asking."""

    plain: str
    kinds: frozenset[Kind]
    rows: frozenset[str]
    numbers: frozenset[int]
    left: str

    @property
    def rest(self) -> frozenset[str]:
        """The words and Chinese characters of what is left."""
        return frozenset(_LEFT.findall(self.left))

    @property
    def of_time(self) -> bool:
        """Whether it asks for a time."""
        return Kind.TIME in self.kinds or self.asks("time")

    @property
    def of_place(self) -> bool:
        """Whether it asks for a place."""
        return Kind.PLACE in self.kinds or self.asks("place")

    def asks(self, *names: str) -> bool:
        """Whether one of these patterns is in it."""
        return any(_ASKS[name].search(self.plain) for name in names)

    def ends(self, name: str) -> frozenset[str]:
        """The last character of each place where this pattern is in it."""
        return frozenset(found.group()[-1] for found in _ASKS[name].finditer(self.plain))

    def beyond(self, words: str) -> frozenset[str]:
        """The words of the rest that are outside a further list too."""
        return frozenset(_LEFT.findall(_WORDS[words].sub(" ", self.left)))


@lru_cache(maxsize=2_000)
def _read(text: str) -> _Read:
    plain = _SEAM.sub(" ", settled(normalise(text)))
    named = _ASKS["together"].sub(" ", _ASKS["ai"].sub(" ", plain))
    left = _WORDS["any"].sub(" ", outside(_DIGITS.sub(" ", _NUMERAL.sub(" ", named))))
    left = _function_words().sub(" ", left)
    numerals = (_value(one or other) for one, other in _NUMERAL.findall(plain))
    return _Read(
        plain=plain,
        kinds=kinds_of(text),
        rows=frozenset(names_of(plain)),
        numbers=frozenset((*map(int, _DIGITS.findall(plain)), *numerals)),
        left=left,
    )


@cache
def _function_words() -> re.Pattern[str]:
    """Matches all of them but those that name somebody or something of a turn before, or ask why."""
    english = set(word_list("function_words_en")) - _POINTS
    chinese = sorted(set(word_list("function_words_zh")) - _POINTS, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(english)})\b|{'|'.join(chinese)}")


def _value(numeral: str) -> int:
    tens, ten, ones = numeral.rpartition("十")
    return (_VALUES.get(tens, 1) * 10 if ten else 0) + _VALUES.get(ones, 0)


def _dated(asked: _Read, known: CourseFacts, now: datetime) -> list[Fact]:
    """The facts with a time or place that are asked for: the nearest of several, all where a list is."""
    items, of_due, zone = asked.rows - _FRAME, asked.rows & _DUE, known.time_zone
    of_time = asked.of_time or asked.asks("next", "week")
    if not (of_time or asked.of_place) or not (items or of_due):
        return []
    kinds = (FactKind.DEADLINE,) if of_due else DATED
    found = [each for each in known.facts if each.kind in kinds and _is_about(asked, items, each)]
    if not of_time:
        found = [each for each in found if each.place]
    if items and found:
        least = min(_excess(asked, each) for each in found)
        found = [each for each in found if _excess(asked, each) == least]
    found = [each for each in found if _names_day(asked.plain, each.weekday)] or found
    ahead = [each for each in found if not is_past(each, zone, now)]
    ahead.sort(key=lambda each: next_of(each, zone, now))
    if asked.asks("week") or (asked.asks("next") and not items):
        return [each for each in ahead if next_of(each, zone, now) <= now + _SOON] or ahead[:1]
    if asked.asks("all") or (all(each.weekday for each in found) and not asked.asks("next")):
        return ahead[:MOST_LISTED]
    past = sorted(found, key=lambda each: moment_of(each, zone, now), reverse=True)
    return ahead[:1] or ([] if asked.asks("next") or not items else past[:1])


def _names_day(plain: str, weekday: int | None) -> bool:
    """Whether a question names the day of a weekly fact."""
    if weekday is None:
        return False
    day, name = "一二三四五六日"[weekday - 1], calendar.day_name[weekday - 1].lower()
    return any(each in plain for each in (name, f"周{day}", f"星期{day}"))


def _is_about(asked: _Read, items: frozenset[str], fact: Fact) -> bool:
    name = _read(fact.name)
    own = name.rows if "quiz" in name.rows else name.rows | _OWN_ROWS.get(fact.kind, frozenset())
    return items <= own and asked.numbers <= name.numbers and asked.rest <= _tokens(name)


def _excess(asked: _Read, fact: Fact) -> int:
    """How many rows more than the question the name of a fact says."""
    return len(_read(fact.name).rows - asked.rows)


def _tokens(text: _Read) -> frozenset[str]:
    return frozenset(_LEFT.findall(text.plain))


def _rules(asked: _Read, facts: Sequence[Fact]) -> list[Fact]:
    """The rule that is asked for, where its text speaks of all that the question names."""
    letters = asked.ends("letter")
    beyond = asked.beyond("rules") - letters
    for fact in facts:
        if beyond or fact.kind not in RULES or not _may_rule(asked, fact.kind):
            continue
        told, wanted = _read(f"{fact.name}\n{fact.note}"), asked.rows & _TOPICS[fact.kind]
        if fact.kind is FactKind.GRADING:
            if not asked.numbers <= told.numbers or letters - told.ends("letters"):
                continue
            wanted = asked.rows - _FRAME - ({"pass"} if letters else set())
        elif fact.kind is FactKind.LATE and ("late" in wanted or asked.asks("late")):
            wanted = frozenset()
        spoken = all(told.asks(each) for each in ("ai", "together") if asked.asks(each))
        if spoken and wanted <= told.rows | _OWN_ROWS.get(fact.kind, frozenset()):
            return [fact]
    return []


def _may_rule(asked: _Read, kind: FactKind) -> bool:
    """Whether a question can ask for a rule of this kind."""
    topics, others = asked.rows & _TOPICS[kind], asked.rows - _TOPICS[kind]
    match kind:
        case FactKind.LATE:
            alone = topics == {"late"} and not others and not asked.asks("may")
            of_rule = "late" in topics or not asked.of_time
            return (bool(topics) and of_rule and not alone) or asked.asks("late")
        case FactKind.GRADING:
            of_share = "worth" in asked.rows and bool(others - {"worth"} - _FRAME)
            return not asked.of_time and (bool(topics) or of_share or asked.asks("letter"))
        case _:
            of_topic = bool(topics) or asked.asks("ai", "together")
            return not asked.of_time and asked.asks("may") and of_topic


def _notes(asked: _Read, facts: Sequence[Fact]) -> list[Fact]:
    """The fact whose note alone speaks of all that the question names, as that note."""
    words = asked.beyond("rules") if asked.rows else frozenset()
    for fact in facts:
        if not words or not fact.note or fact.kind not in DATED:
            continue
        name, note = _read(fact.name), _read(fact.note)
        rows = note.rows | name.rows | _OWN_ROWS.get(fact.kind, frozenset())
        more = words - _tokens(name)
        if more and asked.rows <= rows and more <= _tokens(note):
            return [replace(fact, begins="", ends="", weekday=None, place="")]
    return []


def _others(asked: _Read, facts: Sequence[Fact]) -> list[Fact]:
    """The people, rooms and links that are asked for."""
    kinds = {
        FactKind.PERSON: Kind.PERSON in asked.kinds or asked.asks("contact"),
        FactKind.ROOM: asked.of_place,
        FactKind.LINK: asked.of_place or asked.asks("link"),
    }
    found = (each for each in facts if kinds.get(each.kind) and _is_other(asked, each))
    return list(islice(found, MOST_LISTED))


def _is_other(asked: _Read, fact: Fact) -> bool:
    """Whether a question asks for this person, room or link."""
    if fact.kind is FactKind.PERSON:
        return _is_person(asked, fact)
    name = _tokens(_read(fact.name))
    if name and name <= _tokens(asked) and asked.rest <= name:
        return True
    takes = fact.kind is FactKind.LINK and "hand in" in asked.rows and not asked.rest
    return takes and asked.rows <= _read(fact.note).rows


def _is_person(asked: _Read, fact: Fact) -> bool:
    """Whether a question asks for a person, by the role or by the name."""
    left, name = asked.beyond("roles"), _read(fact.name)
    teaches = frozenset(("instructor",)) if left != asked.rest else frozenset()
    wanted = asked.rows - {"email", "lecture"} or teaches
    if not left <= _tokens(name):
        return False
    if wanted and wanted <= _ROLES & _read(f"{fact.name}\n{fact.note}").rows:
        return True
    return bool(left) and any(each in asked.plain for each in name.plain.split() if len(each) > 1)
