"""What analytics count of a turn, taken from its question and answer."""

from __future__ import annotations

from collections.abc import Mapping

from vta.dialogue.writing import NO_MODEL
from vta.types import Answer, Position, Question

FAILING_STAGES = ("language_model", "vectors", "web_search")
"""Stages that ask another server or model, which can fail."""


def facts_of(question: Question, answer: Answer) -> Mapping[str, object]:
    """The columns of `turn_facts` that the question and the answer decide."""
    position = question.position or Position()
    return {
        "course_id": answer.course_id,
        "route": answer.route.value,
        "failed": has_failed(answer),
        "milliseconds": sum(step.ms for step in answer.trace),
        "concepts": [concept.name for concept in answer.concepts],
        "unit": position.unit,
        "video": position.video,
        "second": position.second,
    }


def has_failed(answer: Answer) -> bool:
    """Whether a server that the answer needed failed; a language model that was never set up did not."""
    degraded = answer.degraded
    return degraded is not None and degraded != NO_MODEL and degraded.stage in FAILING_STAGES
