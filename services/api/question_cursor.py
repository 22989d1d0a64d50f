"""Where a reader of the questions stands: after the last one it was given, whatever became of that since."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import WaitingQuestion

Position = tuple[datetime, str]
"""The order of the questions: by time, then id."""


def position_of(question: WaitingQuestion) -> Position:
    return question.created_at, question.id


def write_cursor(question: WaitingQuestion) -> str:
    """What the next page is asked for with; readers take it as it is."""
    text = f"{question.created_at.isoformat()} {question.id}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Position:
    """`InvalidInput` for what is no cursor of ours."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        time, _, question = text.partition(" ")
        at = datetime.fromisoformat(time)
    except (binascii.Error, ValueError):
        raise InvalidInput(Fault("waiting_question.cursor"), field="cursor") from None
    if at.tzinfo is None or not question:
        raise InvalidInput(Fault("waiting_question.cursor"), field="cursor")
    return at, question
