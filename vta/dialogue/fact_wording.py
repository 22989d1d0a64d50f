"""Facts in a sentence: the day, the time zone, and how far away that is."""

from __future__ import annotations

import calendar
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from prompts.markdown import escape_markdown
from prompts.phrases import TEXTS
from vta.languages import Language
from vta.types.facts import DATED, CourseFacts, Fact, FactKind

_ZH_DAYS = "一二三四五六日"


def sentence(fact: Fact, time_zone: str, *, now: datetime, language: Language) -> str:
    """What a fact says at a moment, in one sentence of Markdown; a rule in the course's own words."""
    texts, name = TEXTS[language], escape_markdown(fact.name)
    if language is Language.ZH and fact.kind is FactKind.DEADLINE and name[-1:].isascii():
        name += " "
    place = texts["fact_place"].format(place=escape_markdown(fact.place)) if fact.place else ""
    if fact.kind not in DATED or not fact.begins:
        more = [each for each in (escape_markdown(fact.place), fact.link and f"<{fact.link}>") if each]
        told = [fact.note.rstrip(".。") if more else fact.note, *more]
        note = ("，" if language is Language.ZH else ", ").join(filter(None, told))
        is_whole = fact.kind in (FactKind.GRADING, FactKind.LATE, FactKind.COLLABORATION_AI)
        return fact.note if is_whole and fact.note else texts["fact_is"].format(name=name, note=note)
    coming, when = next_of(fact, time_zone, now), _when(fact, time_zone, now, language)
    values = {
        "name": name,
        "when": when,
        "place": place,
        "far": _far(coming, is_past(fact, time_zone, now), time_zone, now, language),
    }
    if fact.weekday is not None:
        return texts["fact_weekly"].format(**values, day=_day(coming.date(), coming.date(), language))
    tense = "was" if is_past(fact, time_zone, now) else "is"
    form = "due" if fact.kind is FactKind.DEADLINE else "on" if fact.kind is FactKind.EXAM else "at"
    return texts["fact_" + f"{tense}_{form}"].format(**values)


def moment_of(fact: Fact, time_zone: str, now: datetime) -> datetime:
    """When a dated fact is over: its end, or its begin; the end of the day where it has no time."""
    if fact.weekday is not None:
        return next_of(fact, time_zone, now)
    text = fact.ends if len(fact.ends) > 5 else fact.begins
    found = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(time_zone))
    if len(fact.ends) == 5:
        return datetime.combine(found.date(), time.fromisoformat(fact.ends), found.tzinfo)
    return found + timedelta(days=1) if len(text) == len("2026-12-04") else found


def is_past(fact: Fact, time_zone: str, now: datetime) -> bool:
    """Whether a dated fact is over; a weekly one never is."""
    return fact.weekday is None and moment_of(fact, time_zone, now) <= now


def next_of(fact: Fact, time_zone: str, now: datetime) -> datetime:
    """When a dated fact begins, a weekly one the next time."""
    zone = ZoneInfo(time_zone)
    if fact.weekday is None:
        return datetime.fromisoformat(fact.begins).replace(tzinfo=zone)
    local, begins = now.astimezone(zone), time.fromisoformat(fact.begins)
    day = local.date() + timedelta(days=(fact.weekday - local.isoweekday()) % 7)
    found = datetime.combine(day, begins, zone)
    return found if found > now else found + timedelta(weeks=1)


def next_office_hour(known: CourseFacts, now: datetime) -> tuple[datetime, Fact] | None:
    """The office hour that begins next, and when; None where no fact holds a time of one."""
    zone = known.time_zone
    hours = [each for each in known.facts if each.kind is FactKind.OFFICE_HOUR and ":" in each.begins]
    coming = ((next_of(each, zone, now), each) for each in hours)
    return min((pair for pair in coming if pair[0] > now), key=lambda pair: pair[0], default=None)


def _when(fact: Fact, time_zone: str, now: datetime, language: Language) -> str:
    zone = f"（{time_zone}）" if language is Language.ZH else f" ({time_zone})"
    joint = TEXTS[language]["fact_to"]
    if fact.weekday is not None:
        span = joint.join(filter(None, (fact.begins, fact.ends)))
        if language is Language.ZH:
            return f"每周{_ZH_DAYS[fact.weekday - 1]} {span}{zone}"
        return f"every {calendar.day_name[fact.weekday - 1]}, {span}{zone}"
    today = now.astimezone(ZoneInfo(time_zone)).date()
    begins = datetime.fromisoformat(fact.begins)
    told = _day(begins.date(), today, language)
    hours = [fact.begins[11:16]]
    if fact.ends:
        same = fact.ends[:10] == fact.begins[:10] or len(fact.ends) == len("14:00")
        hours.append(fact.ends[-5:] if same else _moment(fact.ends, today, language))
    spaced = joint.join(filter(None, hours))
    comma = "" if language is Language.ZH else ", "
    return f"{told}{comma if spaced else ''}{spaced}{zone}"


def _moment(text: str, today: date, language: Language) -> str:
    day = _day(date.fromisoformat(text[:10]), today, language)
    return f"{day} {text[11:16]}".strip()


def _day(day: date, today: date, language: Language) -> str:
    """A day by its weekday, with the year where that is another."""
    is_far = day.year != today.year
    if language is Language.ZH:
        year = f"{day.year}年" if is_far else ""
        return f"{year}{day.month}月{day.day}日（周{_ZH_DAYS[day.weekday()]}）"
    year = f" {day.year}" if is_far else ""
    return f"{calendar.day_name[day.weekday()]} {day.day} {calendar.month_name[day.month]}{year}"


def _far(at: datetime, past: bool, time_zone: str, now: datetime, language: Language) -> str:
    """How far away a moment is, in days of the course's time zone."""
    texts = TEXTS[language]
    days = (at.date() - now.astimezone(ZoneInfo(time_zone)).date()).days
    if abs(days) < 2:
        names = {0: "today_past" if past else "today", 1: "tomorrow", -1: "yesterday"}
        return texts["fact_" + names[days]]
    return texts["fact_ago" if days < 0 else "fact_in"].format(days=abs(days))
