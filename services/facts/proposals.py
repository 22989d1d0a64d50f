"""Facts that the material of a course states: lines with one date and the name of an exam or a task."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

from vta.course_life import names_of
from vta.types.facts import CourseFacts, Fact, FactKind
from vta.types.pairs import QAPair, Source

MOST = 50
_LONGEST = 160
"""Characters of a line that states a date."""
_MONTHS = {name.lower()[:3]: n for n, name in enumerate(calendar.month_name) if name}
_NAMES = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in calendar.month_name if name)
_DATE = re.compile(
    r"(?P<iso>\b\d{4}-\d{2}-\d{2}\b)"
    rf"|\b(?P<month>{_NAMES})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>20\d\d))?\b"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)? (?P<month2>{_NAMES})\.?(?:,? (?P<year2>20\d\d))?\b"
    r"|(?:(?P<year3>20\d\d) ?年 ?)?(?P<month3>\d{1,2}) ?月 ?(?P<day3>\d{1,2}) ?[日号]",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b([01]?\d|2[0-3])[:：]([0-5]\d)(?: ?([ap])\.?m\b)?", re.IGNORECASE)
_TWO_SENTENCES = re.compile(r"(?:[a-z]{3}|\d{4})\.[”\"]? [A-Z]")
_TASKS = frozenset(("homework", "project", "paper", "presentation"))
_EXAMS = frozenset(("exam", "midterm", "final", "quiz"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact that is proposed, and the passage of the document that states it."""

    fact: Fact
    passage: str
    document: str


def propose(pairs: Iterable[QAPair], known: CourseFacts, today: date) -> tuple[Proposal, ...]:
    """What the passages state, each once, at most `MOST`; not what is known by name or id, or dismissed."""
    seen = {(each.kind, each.name.casefold()) for each in known.facts}
    decided = {*known.dismissed, *(each.id for each in known.facts)}
    found = []
    lines = ((pair, line.strip()) for pair in pairs for line in pair.answer.splitlines())
    for pair, line in lines:
        fact = _stated(line, today) if pair.source is Source.MATERIAL else None
        if fact is None or fact.id in decided or (key := (fact.kind, fact.name.casefold())) in seen:
            continue
        seen.add(key)
        found.append(Proposal(fact=fact, passage=line, document=pair.document or ""))
        if len(found) == MOST:
            break
    return tuple(found)


def _stated(line: str, today: date) -> Fact | None:
    """The fact in a short line that has one date, and the name of an exam or a task outside it."""
    is_short = len(line) <= _LONGEST and not _TWO_SENTENCES.search(line)
    dates = list(_DATE.finditer(line)) if is_short else []
    day = _day(dates[0], today) if len(dates) == 1 else None
    if day is None:
        return None
    rest = _TIME.sub("|", _DATE.sub("|", line))
    named = {row: words for row, words in names_of(rest).items() if row in _TASKS | _EXAMS}
    words = "|".join(re.escape(word) for each in named.values() for word in each)
    name = re.search(rf"(?:(?:{words})\s?)+(?:#?\d{{1,2}}(?!\d))?", rest, re.IGNORECASE) if words else None
    if name is None:
        return None
    kind = FactKind.DEADLINE if named.keys() & _TASKS else FactKind.EXAM
    clocks = [_clock(each) for each in _TIME.finditer(line)]
    begins = day.isoformat() + (f"T{clocks[0]}" if clocks else "")
    ends = clocks[1] if len(clocks) == 2 and kind is FactKind.EXAM and clocks[1] > clocks[0] else ""
    fact = Fact(id="", kind=kind, name=name[0][0].upper() + name[0][1:].strip(), begins=begins, ends=ends)
    return replace(fact, id=sha256(f"{kind}\x1f{fact.name}\x1f{begins}".encode()).hexdigest()[:16])


def _day(found: re.Match[str], today: date) -> date | None:
    """The day of a date; one without a year is the nearest to today."""
    groups = found.groupdict()
    try:
        if groups["iso"]:
            return date.fromisoformat(groups["iso"])
        month = groups["month"] or groups["month2"] or groups["month3"]
        number = int(month) if month.isdigit() else _MONTHS[month.lower()[:3]]
        day = int(groups["day"] or groups["day2"] or groups["day3"])
        if year := groups["year"] or groups["year2"] or groups["year3"]:
            return date(int(year), number, day)
        near = [date(today.year + n, number, day) for n in (-1, 0, 1)]
    except ValueError:
        return None
    return min(near, key=lambda each: abs(each - today))


def _clock(found: re.Match[str]) -> str:
    hour = int(found[1])
    if found[3] and hour <= 12:
        hour = hour % 12 + (12 if found[3].lower() == "p" else 0)
    return f"{hour:02}:{found[2]}"
