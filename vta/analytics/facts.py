"""What is counted: one row a turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from vta.types import Route


class Mark(StrEnum):
    """What a TA thinks of an answer on the review sheet."""

    GOOD = "good"
    PARTLY = "partly"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class TurnFact:
    """One question and what became of it; the words of the answer are not needed.

    `learner` is a pseudonym, None where none is known. `failed` says that a server which the answer needed
    failed; `milliseconds` is the sum of the trace's stages. `rating` is up, down or None.
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

    @property
    def person(self) -> str:
        """Whom the turn counts for: the learner, or the session where no learner is known."""
        return f"session {self.session_id}" if self.learner is None else self.learner

    @property
    def unanswered(self) -> bool:
        """Whether the course had no answer: refused, or left unanswered."""
        return self.route in (Route.REFUSED, Route.UNANSWERED)
