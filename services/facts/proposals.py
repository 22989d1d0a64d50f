"""Facts that the material of a course states: lines and rows of tables with a name and a date."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

from vta.course_life import names_of
from vta.types.facts import CourseFacts, Fact, FactKind
from vta.types.pairs import QAPair, Source

MOST = 50
_LONGEST = 160
"""Characters of a line that states a date."""
_MOST_WORDS = 6
"""Words of a name; more are a sentence."""
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
_DUE = frozenset(("homework", "deadline", "hand in", "project", "paper", "presentation"))
_EXAMS = frozenset(("exam", "midterm", "final", "quiz"))
_JOINTS = re.compile(
    r"(?i)[\s:：,，;；–—|*_`#>-]+|\b(?:is|are|on|at|due|by|the|deadlines?|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)(?:day)?\b"
    r"|截止(?:日期|时间)?|[（(](?:周|星期)[一二三四五六日天][）)]|(?:周|星期)[一二三四五六日天]|于|是|在"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact that is proposed, and the passage of the document that states it."""

    fact: Fact
    passage: str
    document: str


def propose(pairs: Iterable[QAPair], known: CourseFacts, today: date) -> tuple[Proposal, ...]:
    """What the passages state and no known fact of that kind and name does, each once, at most `MOST`."""
    seen = {(each.kind, each.name.casefold()) for each in known.facts}
    found = []
    for pair in pairs:
        if pair.source is not Source.MATERIAL:
            continue
        for line in pair.answer.splitlines():
            fact = _stated(line.strip(), today)
            if fact is None or (key := (fact.kind, fact.name.casefold())) in seen:
                continue
            seen.add(key)
            found.append(Proposal(fact=fact, passage=line.strip(), document=pair.document or ""))
            if len(found) == MOST:
                return tuple(found)
    return tuple(found)


def _stated(line: str, today: date) -> Fact | None:
    """The fact in a line that has one date, and a name that is a deadline or an exam before or after it."""
    dates = list(_DATE.finditer(line))
    if not 0 < len(line) <= _LONGEST or len(dates) != 1:
        return None
    day = _day(dates[0], today)
    name = next(_named(line, dates[0]), "")
    if day is None or not name:
        return None
    rows = names_of(name).keys()
    kind = FactKind.EXAM if rows & _EXAMS and not rows & _DUE else FactKind.DEADLINE
    times = list(_TIME.finditer(line))
    begins = day.isoformat() + (f"T{_clock(times[0])}" if times else "")
    ends = _clock(times[1]) if len(times) == 2 and kind is FactKind.EXAM else ""
    fact = Fact(id="", kind=kind, name=name, begins=begins, ends=ends)
    return replace(fact, id=sha256(f"{kind}\x1f{name}\x1f{begins}".encode()).hexdigest()[:16])


def _named(line: str, at: re.Match[str]) -> Iterator[str]:
    """The parts of a line that may be its name: cells of a table, or what is before and after its date."""
    is_row = line.count("|") >= 2
    parts = line.split("|") if is_row else (line[: at.start()], line[at.end() :])
    for part in parts:
        bare = _TIME.sub(" ", part)
        if _DATE.search(bare):
            continue
        words = _trimmed(bare)
        rows = names_of(words).keys()
        is_short = 0 < len(words) <= 60 and len(words.split()) <= _MOST_WORDS and "." not in words
        if is_short and rows & (_DUE | _EXAMS) - {"deadline", "hand in"}:
            yield words


def _trimmed(text: str) -> str:
    """A text without the words and marks that join a name and a date at either end."""
    start, end = 0, len(text)
    while (found := _JOINTS.match(text, start)) and found.end() > start:
        start = found.end()
    while ends := [each for each in _JOINTS.finditer(text, start, end) if each.end() == end]:
        end = ends[-1].start()
    return text[start:end]


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
