"""What the guard changes: a suspicious question never reaches a language model, not as history either."""

from __future__ import annotations

from collections.abc import Sequence

from vta.types import Degradation, Turn

GUARDED = Degradation(
    stage="guard",
    reason="the question looks like orders to the assistant, so no language model was asked",
)
ECHO = Degradation(stage="guard", reason="the language model's answer repeated its own instructions")


def trusted_turns(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns whose questions a language model may be shown."""
    return tuple(turn for turn in history if turn.answer.degraded != GUARDED)
