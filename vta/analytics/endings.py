"""Why sessions end: one cause each."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from vta.analytics.facts import TurnFact


class Ending(StrEnum):
    """Why a session ended."""

    ANSWERED = "answered"
    ABANDONED = "abandoned"
    REFUSED = "refused"
    ESCALATED = "escalated"
    ERROR = "error"


def ending_of(turns: Sequence[TurnFact]) -> Ending:
    """The cause of a session's end, from its turns in order; the first rule that holds decides.

    escalated: a question of it was handed to a real TA. error: a server failed under the last answer.
    refused: the last question was refused or left unanswered. abandoned: one round, and no thumb up.
    answered: all others.
    """
    last = turns[-1]
    if any(turn.escalated for turn in turns):
        return Ending.ESCALATED
    if last.failed:
        return Ending.ERROR
    if last.unanswered:
        return Ending.REFUSED
    if len(turns) == 1 and last.rating != "up":
        return Ending.ABANDONED
    return Ending.ANSWERED
