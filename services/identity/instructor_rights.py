"""What someone in the console may do: everything by key, else what their role in the course stands for."""

from __future__ import annotations

from enum import StrEnum

from services.storage.console_sessions import ConsoleSession
from services.storage.people import CourseRole


class Right(StrEnum):
    """A part of a course that someone may change."""

    QUESTIONS = "questions"
    FAQ = "faq"
    MATERIALS = "materials"
    GRAPH = "graph"
    SETTINGS = "settings"
    KEYS = "keys"
    PEOPLE = "people"
    ARCHIVE = "archive"


EVERYTHING = frozenset(Right)
LAUNCHED = EVERYTHING - {Right.KEYS, Right.PEOPLE, Right.ARCHIVE}
"""Of an instructor's launch: keys and invitations outlive it, so whoever was launched makes none."""
ASSISTANT = frozenset({Right.QUESTIONS, Right.FAQ})
"""Of a teaching assistant, launched or not."""

_CHANGES = {
    "inbox": Right.QUESTIONS,
    "preview": Right.QUESTIONS,
    "analytics": Right.QUESTIONS,
    "conversations": Right.QUESTIONS,
    "faq": Right.FAQ,
    "materials": Right.MATERIALS,
    "graph": Right.GRAPH,
    "settings": Right.SETTINGS,
    "people": Right.PEOPLE,
}
"""The right that a write in a part of the console needs. A part that is not named needs the rarest."""


_OF_SETTINGS = {"keys": Right.KEYS, "archive": Right.ARCHIVE, "remove": Right.ARCHIVE}
_CLOSED_TO_OTHERS = frozenset({"settings", "people", "conversations"})
"""Parts that need their right to be read."""


def rights_of(session: ConsoleSession, role: CourseRole | None = None) -> frozenset[Right]:
    """The rights of a console session in a course; `role` is that of a person there."""
    if session.person is not None:
        return {CourseRole.INSTRUCTOR: EVERYTHING, CourseRole.TA: ASSISTANT, None: frozenset[Right]()}[role]
    if session.key_id is not None:
        return EVERYTHING
    return ASSISTANT if session.is_assistant else LAUNCHED


def right_needed(method: str, path: str) -> Right | None:
    """The right that a request to `/console/COURSE/PART...` needs; None for what everyone there may read."""
    part, _, rest = path.removeprefix("/console/").partition("/")[2].partition("/")
    if part == "settings" and (first := rest.partition("/")[0]) in _OF_SETTINGS:
        return _OF_SETTINGS[first]
    if method in ("GET", "HEAD") and part not in _CLOSED_TO_OTHERS:
        return None
    return _CHANGES.get(part, Right.KEYS)
