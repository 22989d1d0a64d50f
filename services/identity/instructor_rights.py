"""What someone in the console may do: everything by key, by an LTI launch what their role stands for."""

from __future__ import annotations

from enum import StrEnum

from services.storage.console_sessions import ConsoleSession


class Right(StrEnum):
    """A part of a course that someone may change."""

    QUESTIONS = "questions"
    FAQ = "faq"
    MATERIALS = "materials"
    GRAPH = "graph"
    SETTINGS = "settings"
    KEYS = "keys"


EVERYTHING = frozenset(Right)
INSTRUCTOR = EVERYTHING - {Right.KEYS}
"""Of an instructor's launch. A key outlives the launch, so only who has one makes others."""
ASSISTANT = frozenset({Right.QUESTIONS, Right.FAQ})
"""Of a teaching assistant's launch."""

_CHANGES = {
    "inbox": Right.QUESTIONS,
    "preview": Right.QUESTIONS,
    "analytics": Right.QUESTIONS,
    "conversations": Right.QUESTIONS,
    "faq": Right.FAQ,
    "materials": Right.MATERIALS,
    "graph": Right.GRAPH,
    "settings": Right.SETTINGS,
}
"""The right that a write in a part of the console needs. A part that is not named needs the rarest."""


def rights_of(session: ConsoleSession) -> frozenset[Right]:
    """The rights of a console session."""
    if session.key_id is not None:
        return EVERYTHING
    return ASSISTANT if session.is_assistant else INSTRUCTOR


def right_needed(method: str, path: str) -> Right | None:
    """The right that a request to `/console/COURSE/PART...` needs; None for what everyone there may read."""
    part, _, rest = path.removeprefix("/console/").partition("/")[2].partition("/")
    if part == "settings":
        return Right.KEYS if rest.startswith("keys") else Right.SETTINGS
    if part == "conversations":
        return Right.QUESTIONS
    return None if method in ("GET", "HEAD") else _CHANGES.get(part, Right.KEYS)
