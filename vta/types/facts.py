"""Facts on how a course is run: dates, people, rules and places, as an instructor lists them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FactKind(StrEnum):
    """What a fact is about."""

    DEADLINE = "deadline"
    EXAM = "exam"
    LECTURE = "lecture"
    OFFICE_HOUR = "office_hour"
    PERSON = "person"
    GRADING = "grading"
    LATE = "late"
    COLLABORATION_AI = "collaboration_ai"
    ROOM = "room"
    LINK = "link"


DATED = (FactKind.DEADLINE, FactKind.EXAM, FactKind.LECTURE, FactKind.OFFICE_HOUR)
"""Kinds that are held at a time."""
RULES = (FactKind.GRADING, FactKind.LATE, FactKind.COLLABORATION_AI)
"""Kinds whose note is the rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact; empty texts stand for what is not known.

    `begins` and `ends` are "2026-12-04" or "2026-12-04T23:59" in the course's time zone; with a `weekday`
    (1 is Monday) they are times of that day, "14:00". `note` is a rule in the course's words. `review` asks
    an instructor to look at it again, because it was copied from another term.
    """

    id: str
    kind: FactKind
    name: str
    begins: str = ""
    ends: str = ""
    weekday: int | None = None
    place: str = ""
    note: str = ""
    link: str = ""
    review: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseFacts:
    """The facts of a course, and its time zone by its name in the tz database.

    `dismissed` are the ids of those that files state and an instructor does not want.
    """

    time_zone: str = "UTC"
    facts: tuple[Fact, ...] = ()
    dismissed: tuple[str, ...] = ()
