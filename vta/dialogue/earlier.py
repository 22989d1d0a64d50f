"""A dialogue that the caller keeps, as turns: context for follow-ups, never stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from vta.dialogue.concepts import concept_cards, teach_steps
from vta.dialogue.guarding import GUARDED
from vta.ports import Guard, Knowledge
from vta.types import (
    Answer,
    Course,
    Exchange,
    IntentLabel,
    IntentPrediction,
    Route,
    SessionId,
    Turn,
    TurnId,
)

MOST_EXCHANGES = 10
"""How many of the last exchanges count."""
_UNKNOWN = IntentPrediction(
    label=IntentLabel.SIMPLE,
    chit_chat=0.0,
    probabilities={label: 1.0 if label is IntentLabel.SIMPLE else 0.0 for label in IntentLabel},
)
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)

StandAlone = Callable[[str, Course, Sequence[Turn], Knowledge], str]
"""A question made to stand alone after the turns before it."""


def earlier_turns(
    exchanges: Sequence[Exchange],
    *,
    course: Course,
    knowledge: Knowledge,
    stand_alone: StandAlone,
    guard: Guard | None,
) -> tuple[Turn, ...]:
    """The last exchanges as turns without ids, each made to stand alone after those before it.

    An exchange in which `guard` flags either side is marked, so that no language model is shown it.
    """
    turns: list[Turn] = []
    for number, exchange in enumerate(exchanges[-MOST_EXCHANGES:], start=1):
        standalone = stand_alone(exchange.question, course, turns, knowledge)
        mentions = knowledge.linker.link(standalone, course=course)
        flagged = guard is not None and any(
            guard.inspect(text).flag for text in (exchange.question, exchange.answer) if text
        )
        answer = Answer(
            turn_id=TurnId(""),
            session_id=SessionId(""),
            course_id=course.id,
            route=Route.CHAIN_OF_TEACH,
            text=exchange.answer,
            citations=(),
            concepts=concept_cards(teach_steps(mentions, knowledge.graph), knowledge.ranker, course),
            intent=_UNKNOWN,
            ranking=None,
            standalone_question=standalone,
            degraded=GUARDED if flagged else None,
            actions=(),
            trace=(),
        )
        turns.append(
            Turn(
                id=TurnId(""),
                session_id=SessionId(""),
                course_id=course.id,
                number=number,
                question=exchange.question,
                answer=answer,
                created_at=_NEVER,
            )
        )
    return tuple(turns)
