"""The answer as it goes out: the stored JSON with the Markdown rendered to safe HTML beside it."""

from __future__ import annotations

from services.answer_json import answer_to_json
from services.rendering import render_markdown
from vta.types import Answer, TaAnswer, Turn


def answer_out(answer: Answer) -> dict[str, object]:
    """The Answer of the API, `html` included."""
    return {**answer_to_json(answer), "html": render_markdown(answer.text)}


def turn_out(turn: Turn) -> dict[str, object]:
    """One turn of a session's history."""
    return {
        "number": turn.number,
        "question": turn.question,
        "answer": answer_out(turn.answer),
        "created_at": turn.created_at.isoformat(),
    }


def ta_answer_out(answer: TaAnswer) -> dict[str, object]:
    """What a real TA answered."""
    return {
        "turn_id": answer.turn_id,
        "question": answer.question,
        "text": answer.answer,
        "html": render_markdown(answer.answer),
        "answered_at": answer.answered_at.isoformat(),
        "seen": answer.seen,
    }
