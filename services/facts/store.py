"""The facts of courses in the relational store, read and changed as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, bindparam, select

from services.store import tables
from services.store.audit_log import Event, note
from services.store.course_rows import hold_course
from services.store.transactions import SqlStore, put_row, reading_once, written
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId
from vta.types.facts import DATED, CourseFacts, Fact

MOST = 300
"""Facts of a course."""
LONGEST_LINE, LONGEST_NOTE = 200, 2000
"""Characters of a name, place or link, and of a note."""
_NO_DAY = 1
"""The year of a time without a day."""
_ID = re.compile(r"[\w.:@-]{1,128}")
_TIME = re.compile(r"\d\d:\d\d", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?", re.ASCII)
_GAP = re.compile(r"(?<=^\d{4}-\d\d-\d\d)\s+(?=\d)")
"""Between a day and its time."""
_YEARS = range(1970, 2200)
_FACTS = select(tables.course_facts).where(tables.course_facts.c.course_id == bindparam("course"))
_facts = TypeAdapter(tuple[Fact, ...])
_ids = TypeAdapter(tuple[str, ...])


class SqlFacts(SqlStore):
    """The facts of all courses; a change holds from the next question on."""

    def facts(self, course_id: CourseId) -> CourseFacts:
        """Those of a course; none of an unknown one."""
        with reading_once(self._engine) as connection:
            return read_facts(connection, course_id)

    @written
    def change(
        self,
        connection: Connection,
        course_id: CourseId,
        edit: Callable[[CourseFacts], CourseFacts],
        *,
        expected: str | None = None,
    ) -> CourseFacts:
        """Put what `edit` makes of the facts in their place.

        `InvalidInput` names the field that cannot be used; `Conflict` where the facts have not the mark
        expected.
        """
        hold_course(connection, course_id)
        found = read_facts(connection, course_id)
        if expected not in (None, mark_of(found)):
            raise Conflict(Fault("fact.changed_meanwhile"))
        changed = keep_facts(connection, course_id, edit(found))
        if changed != found:
            before = {each.id: each for each in found.facts}
            names = [each.kind.value for each in changed.facts if before.pop(each.id, None) != each]
            kinds = sorted({*names, *(each.kind.value for each in before.values())})
            note(connection, Event.FACTS, course_id=course_id, detail=", ".join(kinds))
        return changed


def read_facts(connection: Connection, course_id: CourseId) -> CourseFacts:
    """The facts of a course; none where none were stored. `InvalidInput` for damaged ones of a file."""
    row = connection.execute(_FACTS, {"course": course_id}).one_or_none()
    if row is None:
        return CourseFacts()
    try:
        facts, dismissed = _facts.validate_python(row.facts), _ids.validate_python(row.dismissed)
        return CourseFacts(time_zone=row.time_zone, facts=facts, dismissed=dismissed)
    except ValidationError as error:
        raise InvalidInput(Fault("fact.no_list"), field="facts") from error


def keep_facts(connection: Connection, course_id: CourseId, given: CourseFacts) -> CourseFacts:
    """Store the facts in their clean form, and return it. `InvalidInput` as in `clean_facts`."""
    clean = clean_facts(given)
    values: dict[str, Any] = {
        "time_zone": clean.time_zone,
        "facts": _facts.dump_python(clean.facts, mode="json"),
        "dismissed": list(clean.dismissed[-MOST:]),
    }
    put_row(connection, tables.course_facts, {"course_id": course_id}, values)
    return clean


def mark_of(facts: CourseFacts) -> str:
    """A digest of the facts and their time zone, 16 hex digits."""
    return sha256(json.dumps(asdict(replace(facts, dismissed=())), sort_keys=True).encode()).hexdigest()[:16]


def clean_facts(given: CourseFacts) -> CourseFacts:
    """The facts in their stored form. `InvalidInput` names the first field that cannot be used.

    One of a fact is named with the place of the fact, as "facts.0.begins".
    """
    try:
        ZoneInfo(given.time_zone.strip())
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput(Fault("fact.zone", zone=given.time_zone[:100]), field="time_zone") from error
    if len(given.facts) > MOST:
        raise InvalidInput(Fault("fact.too_many", most=MOST), field="facts")
    if len({each.id for each in given.facts}) < len(given.facts):
        raise InvalidInput(Fault("fact.same_id"), field="facts")
    facts = []
    for n, fact in enumerate(given.facts):
        try:
            facts.append(_clean(fact))
        except InvalidInput as error:
            raise InvalidInput(error.fault, field=f"facts.{n}.{error.field}") from error
    return replace(given, time_zone=given.time_zone.strip(), facts=tuple(facts))


def move_facts(facts: CourseFacts, later: timedelta) -> CourseFacts:
    """Clean facts for another term: dates moved, and what holds a time asks for a review."""
    return replace(facts, facts=tuple(_moved(each, later) for each in facts.facts), dismissed=())


def _moved(fact: Fact, later: timedelta) -> Fact:
    begins, ends = (text if fact.weekday else later_date(text, later) for text in (fact.begins, fact.ends))
    return replace(fact, begins=begins, ends=ends, review=fact.review or bool(fact.begins))


def later_date(text: str, later: timedelta) -> str:
    """A day, with or without its time, moved to another term; what is neither stays."""
    if len(text) < len("2026-12-04"):
        return text
    try:
        return (datetime.fromisoformat(text) + later).isoformat()[: len(text)]
    except OverflowError as error:
        raise InvalidInput(Fault("course.moved_too_far"), field="weeks") from error


def _clean(fact: Fact) -> Fact:
    if not _ID.fullmatch(fact.id):
        raise InvalidInput(Fault("fact.id", id=fact.id[:40]), field="id")
    lines: dict[str, Any] = {
        name: " ".join(getattr(fact, name).split()) for name in ("name", "place", "link")
    }
    for name, text in (*lines.items(), ("note", fact.note)):
        most = LONGEST_NOTE if name == "note" else LONGEST_LINE
        if len(text) > most or "\0" in text:
            raise InvalidInput(Fault("fact.length", name=name, most=most), field=name)
    if not lines["name"]:
        raise InvalidInput(Fault("fact.no_name"), field="name")
    if lines["link"] and not lines["link"].startswith(("https://", "http://")):
        raise InvalidInput(Fault("fact.link"), field="link")
    begins, ends = (as_moment(text) for text in (fact.begins, fact.ends))
    if fact.kind in DATED:
        _check_times(begins, ends, fact.weekday)
    else:
        begins = ends = ""
    weekday = fact.weekday if fact.kind in DATED else None
    told = (fact.note.strip(), lines["place"], lines["link"])
    if fact.kind not in DATED and not any(told):
        raise InvalidInput(Fault("fact.nothing"), field="note")
    return replace(fact, **lines, begins=begins, ends=ends, weekday=weekday, note=fact.note.strip())


def _check_times(begins: str, ends: str, weekday: int | None) -> None:
    """`InvalidInput` for what is no date of `_YEARS`, no time of a weekday, or ends before it begins."""
    if weekday is not None and not 1 <= weekday <= 7:
        raise InvalidInput(Fault("fact.weekday"), field="weekday")
    first = read_date(begins, "begins", weekly=weekday is not None)
    if not ends:
        return
    last = read_date(ends, "ends", weekly=weekday is not None or len(ends) == len("14:00"))
    if last.time() < first.time() if last.year == _NO_DAY else last < first:
        raise InvalidInput(Fault("fact.ends_before"), field="ends")


def as_moment(text: str) -> str:
    """A day and its time as they are stored: the blank between them becomes "T"; other texts as typed."""
    return _GAP.sub("T", text.strip())


def read_date(text: str, field: str, *, weekly: bool = False) -> datetime:
    """A day ("2026-12-04") with or without its time ("T23:59"); of what is weekly a time ("14:00")."""
    told, shape = text[:40], _TIME if weekly else _MOMENT
    fault = Fault("fact.time", text=told) if weekly else Fault("fact.date", text=told)
    if shape.fullmatch(text):
        with suppress(ValueError):
            found = datetime.fromisoformat(f"{_NO_DAY:04}-01-01T{text}" if weekly else text)
            if weekly or found.year in _YEARS:
                return found
            fault = Fault("fact.year", text=told)
    raise InvalidInput(fault, field=field)


def with_fact(facts: CourseFacts, fact: Fact) -> CourseFacts:
    """The facts with one put in the place of that of its id, or added."""
    others: Sequence[Fact] = facts.facts
    if any(each.id == fact.id for each in others):
        return replace(facts, facts=tuple(fact if each.id == fact.id else each for each in others))
    return replace(facts, facts=(*others, fact))
