"""The turns behind a figure of the report, chosen by the same rules as the figure counts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vta.analytics.counting import STRETCH_S, Group, by_session, is_badly_answered, most_frequent_wordings
from vta.analytics.facts import Mark, SessionEnding, TurnFact, ending_of
from vta.text import normalise
from vta.types.answers import Route


class QuestionOutcome(StrEnum):
    """The outcomes of a question, which may have several."""

    DIRECT = "direct"
    TAUGHT = "chain_of_teach"
    NOT_ANSWERED = "not_answered"
    """Refused or left unanswered."""
    REFUSED = "refused"
    UNANSWERED = "unanswered"
    SMALL_TALK = "chit_chat"
    HANDED_ON = "handed_on"
    UP = "up"
    DOWN = "down"
    BADLY = "badly"
    """Refused, left unanswered, voted down, or marked bad by a TA."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which turns: those for which everything holds that is given.

    `words` all stand in the question. `alike` is a wording whose near-duplicates are meant, `start_s` the
    beginning of a stretch of `video`, and `slower_ms` what the answer took at least.
    """

    outcome: QuestionOutcome | None = None
    words: str = ""
    ending: SessionEnding | None = None
    mark: Mark | None = None
    concept: str = ""
    video: str = ""
    start_s: int | None = None
    alike: str = ""
    slower_ms: float | None = None

    def of(self, turns: Sequence[TurnFact], group: Group) -> tuple[TurnFact, ...]:
        """The turns that are meant, in the order given; `group` brings near-duplicates together."""
        sessions = _sessions_ending(turns, self.ending) if self.ending else None
        wordings = _wordings_like(turns, self.alike, group) if self.alike else None
        words = normalise(self.words).split()
        return tuple(
            turn
            for turn in turns
            if (self.outcome is None or _HAS[self.outcome](turn))
            and (sessions is None or turn.session_id in sessions)
            and (wordings is None or " ".join(turn.question.split()) in wordings)
            and self._is_about(turn)
            and (not words or all(word in normalise(turn.question) for word in words))
        )

    def _is_about(self, turn: TurnFact) -> bool:
        here = self.start_s is None or (
            turn.second is not None and self.start_s <= turn.second < self.start_s + STRETCH_S
        )
        return (
            (self.mark is None or turn.mark is self.mark)
            and (not self.concept or self.concept in turn.concepts)
            and (not self.video or (turn.video == self.video and here))
            and (self.slower_ms is None or turn.milliseconds >= self.slower_ms)
        )


def _sessions_ending(turns: Sequence[TurnFact], ending: SessionEnding) -> frozenset[str]:
    return frozenset(name for name, own in by_session(turns).items() if ending_of(own) is ending)


def _wordings_like(turns: Sequence[TurnFact], wording: str, group: Group) -> frozenset[str]:
    groups = group(most_frequent_wordings(turns))
    return frozenset(next((texts for texts in groups if wording in texts), ()))


_HAS: Mapping[QuestionOutcome, Callable[[TurnFact], bool]] = {
    QuestionOutcome.DIRECT: lambda turn: turn.route is Route.DIRECT,
    QuestionOutcome.TAUGHT: lambda turn: turn.route is Route.CHAIN_OF_TEACH,
    QuestionOutcome.NOT_ANSWERED: lambda turn: turn.unanswered,
    QuestionOutcome.REFUSED: lambda turn: turn.route is Route.REFUSED,
    QuestionOutcome.UNANSWERED: lambda turn: turn.route is Route.UNANSWERED,
    QuestionOutcome.SMALL_TALK: lambda turn: turn.route is Route.CHIT_CHAT,
    QuestionOutcome.HANDED_ON: lambda turn: turn.escalated,
    QuestionOutcome.UP: lambda turn: turn.rating == "up",
    QuestionOutcome.DOWN: lambda turn: turn.rating == "down",
    QuestionOutcome.BADLY: is_badly_answered,
}
