"""What analytics count of a turn, in one short row."""

from __future__ import annotations

from collections.abc import Mapping

from services.storage.faq_rows import entry_of_pair
from vta.dialogue.degradations import CLOSEST, NO_MODEL
from vta.types import Answer, FaqId, Position, Route, Turn

FAILING_STAGES = ("language_model", "language_model_incomplete", "search", "vectors", "web_search")
"""Stages that ask another server or model, which can fail."""


def facts_of(turn: Turn, position: Position | None) -> Mapping[str, object]:
    """The row of `turn_facts` of a turn that was asked at a position."""
    answer, position = turn.answer, position or Position()
    return {
        "turn_id": turn.id,
        "course_id": turn.course_id,
        "asked_at": turn.created_at,
        "session_id": turn.session_id,
        "number": turn.number,
        "question": turn.question,
        "route": counted_route(answer).value,
        "failed": has_failed(answer),
        "milliseconds": sum(step.ms for step in answer.trace),
        "concepts": [concept.name for concept in answer.concepts],
        "unit": position.unit,
        "video": position.video,
        "second": position.second,
        "page": position.page,
        "heading": position.heading,
        "faq_id": _entry_of(answer),
    }


def counted_route(answer: Answer) -> Route:
    """How the question counts as answered: what only comes closest is no answer."""
    is_closest = answer.degraded is not None and answer.degraded.stage == CLOSEST.stage
    return Route.UNANSWERED if is_closest else answer.route


def _entry_of(answer: Answer) -> FaqId | None:
    """The FAQ entry that an answer rests on before all else."""
    answered = answer.citations and answer.route is not Route.UNANSWERED
    return entry_of_pair(answer.citations[0].pair_id) if answered else None


def has_failed(answer: Answer) -> bool:
    """Whether a server that the answer needed failed; a language model that was never set up did not."""
    degraded = answer.degraded
    return degraded is not None and degraded != NO_MODEL and degraded.stage in FAILING_STAGES
