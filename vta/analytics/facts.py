"""The counted facts: one row a turn, and the endings of sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from vta.types.answers import Route


class Mark(StrEnum):
    """A TA's mark of an answer on the review sheet."""

    GOOD = "good"
    PARTLY = "partly"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class TurnFact:
    """One question and its outcome, without the text of the answer.

    `learner` is a pseudonym, None where none is known. `failed` says that a server which the answer needed
    failed; `milliseconds` is the sum of the trace's stages. `rating` is up, down or None.
    `waiting` is the question of the inbox that waits, `settled_at` when a TA settled it.
    """

    turn_id: str
    session_id: str
    learner: str | None
    asked_at: datetime
    question: str
    route: Route
    failed: bool
    milliseconds: float
    concepts: tuple[str, ...] = ()
    video: str | None = None
    second: float | None = None
    rating: str | None = None
    escalated: bool = False
    mark: Mark | None = None
    unit: str | None = None
    waiting: str | None = None
    settled_at: datetime | None = None

    @property
    def person(self) -> str:
        """Whom the turn counts for: the learner, or the session where no learner is known."""
        return f"session {self.session_id}" if self.learner is None else self.learner

    @property
    def unanswered(self) -> bool:
        """Whether the course had no answer: refused, or left unanswered."""
        return self.route in (Route.REFUSED, Route.UNANSWERED)


class SessionEnding(StrEnum):
    """The cause of a session's end."""

    ANSWERED = "answered"
    ABANDONED = "abandoned"
    REFUSED = "refused"
    ESCALATED = "escalated"
    ERROR = "error"


def ending_of(turns: Sequence[TurnFact]) -> SessionEnding:
    """The cause of a session's end, from its turns in order; the first rule that holds decides.

    escalated: a question of it was handed to a real TA. error: a server failed under the last answer.
    refused: the last question was refused or left unanswered. abandoned: one round, with no thumb up, and
    without a direct answer or with a thumb down. answered: all others.
    """
    last = turns[-1]
    if any(turn.escalated for turn in turns):
        return SessionEnding.ESCALATED
    if last.failed:
        return SessionEnding.ERROR
    if last.unanswered:
        return SessionEnding.REFUSED
    helped = last.rating == "up" or (last.route is Route.DIRECT and last.rating is None)
    if len(turns) == 1 and not helped:
        return SessionEnding.ABANDONED
    return SessionEnding.ANSWERED
