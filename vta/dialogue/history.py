"""The turns before a question, and which of them a language model may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vta.dialogue.continuation import head_of
from vta.dialogue.follow_up import stands_alone
from vta.ports import Guard, Knowledge
from vta.text import Analyser
from vta.types.answers import PastTurn, Route, Turn
from vta.types.courses import Course
from vta.types.language_model import ChatMessage
from vta.types.questions import Exchange

MOST_EXCHANGES = 10
"""How many of the last exchanges that a caller sends are used."""


def past_turn(turn: Turn) -> PastTurn:
    """A stored turn as context."""
    answer = turn.answer
    return PastTurn(
        question=turn.question,
        standalone_question=answer.standalone_question,
        answer=answer.text,
        route=answer.route,
        concepts=tuple(card.name for card in answer.concepts),
        flagged=turn.flagged,
        citations=answer.citations,
    )


def past_exchanges(
    exchanges: Sequence[Exchange],
    *,
    course: Course,
    knowledge: Knowledge,
    analyser: Analyser,
) -> tuple[PastTurn, ...]:
    """The last exchanges of a dialogue that the caller keeps."""
    history: list[PastTurn] = []
    for exchange in exchanges[-MOST_EXCHANGES:]:
        question = standalone = exchange.question
        mentions = knowledge.linker.link(question, course=course)
        if history and not stands_alone(question, mentions, analyser):
            standalone = f"{head_of(history[-1])} {question}"
            mentions = knowledge.linker.link(standalone, course=course)
        history.append(
            PastTurn(
                question=question,
                standalone_question=standalone,
                answer=exchange.answer,
                route=Route.CHAIN_OF_TEACH,
                concepts=tuple(mention.concept.name for mention in mentions),
                flagged=False,
            )
        )
    return tuple(history)


def inspect(history: Sequence[PastTurn], guard: Guard, *, answers: bool) -> tuple[PastTurn, ...]:
    """The history with what the guard flags today marked too: a turn may be older than the guard.

    Of a dialogue that the caller keeps the `answers` too, since nothing vouches for them.
    """

    def flags(turn: PastTurn) -> bool:
        said = (turn.question, turn.answer) if answers else (turn.question,)
        return turn.flagged or any(text and guard.inspect(text).flag for text in said)

    return tuple(replace(turn, flagged=flags(turn)) for turn in history)


def unflagged(history: Sequence[PastTurn]) -> tuple[PastTurn, ...]:
    """The turns that a language model may be shown."""
    return tuple(turn for turn in history if not turn.flagged)


def as_messages(history: Sequence[PastTurn]) -> tuple[ChatMessage, ...]:
    """The turns that a language model may be shown, as the messages of a chat."""
    return tuple(
        message
        for turn in unflagged(history)
        for message in (
            ChatMessage(role="user", content=turn.question),
            ChatMessage(role="assistant", content=turn.answer),
        )
    )
