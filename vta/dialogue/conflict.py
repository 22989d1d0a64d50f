"""Conflicts between the FAQ and the course material about one question.

The rule is narrow on purpose: a teacher who sees a false conflict ignores the next one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vta.patterns import read_patterns
from vta.sentences import is_question, sentence_spans
from vta.text import Analyser, jaccard, normalise, stem
from vta.types.pairs import Candidate, Source

SAME_QUESTION = 0.5
SAME_SUBJECT = 0.5
SAME_SAYING = 0.8
"""Least Jaccard similarity of content words: asked question and FAQ question; a sentence of the material and
the FAQ where values differ; the same where only a negation differs."""

_WEEKDAYS = {
    name: day
    for day, (english, chinese) in enumerate(
        zip("mon tues wednes thurs fri satur sun".split(), "一 二 三 四 五 六 日天".split(), strict=True),
        start=1,
    )
    for name in (f"{english}day", *(week + each for week in ("周", "星期", "礼拜") for each in chinese))
}
_HAN_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九十")} | {"两": 2}
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_CALENDAR = frozenset({"weekday", "time", "月", "日", *_MONTHS.split("|")})
_WEEKDAY = re.compile("|".join(sorted(_WEEKDAYS, key=len, reverse=True)))
_TIME = re.compile(r"(?<!\d)\d{1,2}:\d{2}(?!\d)")
_MONTH_DAY = re.compile(rf"\b({_MONTHS}) (\d{{1,2}})(?!\d)")
_NUMBER = re.compile(r"(?<![\d.:])(\d+(?:\.\d+)?)\s*(%|[^\W\d_]+)")
_HAN_NUMBER = re.compile(r"(?<!第)([一二两三四五六七八九十])([天日月年次周分个章节页小题])")
_NEGATION = read_patterns("vta.dialogue", "words.toml", "conflict")["negation"]
_KEPT_TEXTS, _KEPT_SENTENCES = 2_048, 8_192
"""Cached answers and questions of pairs, and cached sentences."""
Values = Mapping[str, set[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqConflict:
    """A FAQ pair and a sentence of a passage that disagree; `difference` says in what."""

    faq: Candidate
    material: Candidate
    sentence: str
    difference: str


class ConflictFinder:
    """Finds the first conflict among the knowledge for a question."""

    def __init__(self, analyser: Analyser) -> None:
        """The words of sentences are cached, since many questions find the same ones."""
        self._analyser = analyser
        self._subject = lru_cache(maxsize=_KEPT_SENTENCES)(self._read_subject)
        self._words = lru_cache(maxsize=_KEPT_TEXTS)(self._read_words)

    def find(self, question: str, known: Sequence[Candidate], *, floor: float) -> FaqConflict | None:
        """A conflict between two candidates with S at or above the floor, best first; else None.

        The FAQ pair must ask what is asked. A sentence of the material conflicts with it where both speak of
        the same (content words without values) and give unlike values of one unit (days, times, numbers with
        the word behind them), or where they say the same, one of them with a negation.
        """
        sure = [candidate for candidate in known if candidate.score >= floor]
        for faq in (c for c in sure if c.pair.source is Source.FAQ and self._asks(question, c)):
            answer = _sentences(faq.pair.answer)
            for material in (c for c in sure if c.pair.source is Source.MATERIAL):
                for sentence in _sentences(material.pair.answer):
                    if difference := _difference(faq.pair.question, answer, sentence, self._subject):
                        return FaqConflict(
                            faq=faq, material=material, sentence=sentence, difference=difference
                        )
        return None

    def _asks(self, question: str, faq: Candidate) -> bool:
        asked = frozenset(self._analyser.content_words(question))
        return any(jaccard(asked, self._words(way)) >= SAME_QUESTION for way in faq.pair.wordings)

    def _read_words(self, text: str) -> frozenset[str]:
        return frozenset(self._analyser.content_words(text))

    def _read_subject(self, text: str) -> frozenset[str]:
        """The content words without values, negations and what only counts."""
        plain = normalise(text)
        for pattern in (_WEEKDAY, _TIME, _MONTH_DAY, _NUMBER, _HAN_NUMBER, _NEGATION):
            plain = pattern.sub(" ", plain)
        return frozenset(w for w in self._analyser.content_words(plain) if not w.isdigit())


def _difference(
    asked: str, answer: Sequence[str], sentence: str, subject: Callable[[str], frozenset[str]]
) -> str:
    """In what the sentences of an FAQ answer and one of the material differ; empty where they do not."""
    said = subject(sentence)
    for each in answer:
        own = subject(each)
        likeness = jaccard(said, own)
        if max(jaccard(said, own | subject(asked)), likeness) >= SAME_SUBJECT:
            values, theirs = read_values(sentence), read_values(each)
            if unit := differing_unit(values, theirs):
                return f"{unit}: {_listed(theirs[unit])} against {_listed(values[unit])}"
        is_same_saying = len(said & own) > 1 and likeness >= SAME_SAYING
        if is_same_saying and is_negated(sentence) != is_negated(each):
            return "one says it, the other denies it"
    return ""


def read_values(text: str) -> Values:
    """The values of a text by unit: weekdays, times of day, days of a month, numbers with what they count."""
    plain = normalise(text)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name in _WEEKDAY.findall(plain):
        found["weekday"].add(str(_WEEKDAYS[name]))
    for time in _TIME.findall(plain):
        found["time"].add(time)
    for month, day in _MONTH_DAY.findall(plain):
        found[month].add(day)
    for number, word in _NUMBER.findall(plain):
        unit = word if word == "%" else stem(word) if word.isascii() else word[0]
        found[word if word in _MONTHS.split("|") else unit].add(number)
    for digit, unit in _HAN_NUMBER.findall(_WEEKDAY.sub(" ", plain)):
        found[unit].add(str(_HAN_DIGITS[digit]))
    return found


def differing_unit(one: Values, other: Values) -> str | None:
    """The unit of which both have values, but none in common; a day or time before any other.

    None where two or more counts differ at once: those are two examples, not two sayings about one thing.
    """
    units = [unit for unit in sorted(one.keys() & other.keys()) if not one[unit] & other[unit]]
    dates = [unit for unit in units if unit in _CALENDAR]
    return dates[0] if dates else units[0] if len(units) == 1 else None


def is_negated(text: str) -> bool:
    """Whether a sentence denies; two negations cancel out."""
    return len(_NEGATION.findall(normalise(text))) % 2 == 1


@lru_cache(maxsize=_KEPT_TEXTS)
def _sentences(text: str) -> tuple[str, ...]:
    """The sentences that say something in words: no questions, no code, no formulas."""
    sentences = (text[start:end] for start, end in sentence_spans(text))
    return tuple(s for s in sentences if not is_question(s) and "`" not in s and "$" not in s)


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values))
