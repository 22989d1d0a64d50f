"""Small talk or a question: one decision, made after the search, of the intent and of what was found."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vta.course_life import rows_of
from vta.dialogue.routing import relevance_of
from vta.faq import asks
from vta.patterns import read_table
from vta.scoring import linear, logistic
from vta.text import names_code
from vta.types.concepts import Mention
from vta.types.courses import Thresholds
from vta.types.pairs import Candidate
from vta.types.questions import IntentPrediction

WEIGHTS = "gate.toml"
"""The bias and a weight for each feature; `benchmarks/gates.py --fit` learns them."""

_EDGE = 1e-3
"""Keeps log-odds of 0 and 1 finite."""
_LEAST_RELEVANCE = 0.15
"""A course that holds nothing near is no more evidence of small talk than one with a far passage."""


def is_small_talk(
    question: str,
    candidates: Sequence[Candidate] | None,
    *,
    mentions: Sequence[Mention],
    intent: IntentPrediction,
    thresholds: Thresholds,
) -> bool:
    """Whether small talk, or a task that is not the course's, is likelier than alpha: a logistic regression.

    `candidates` are None where search failed. A question is none that the FAQ holds in the same words, that
    names something of code, or that speaks of two things of how a course is run.
    """
    course_life = rows_of(question)
    if len(course_life) > 1 or names_code(question):
        return False
    if any(asks(candidate.pair, question) for candidate in candidates or ()):
        return False
    relevance = 0.5 if candidates is None else max(map(relevance_of, candidates), default=0.0)
    features = read_features(intent, relevance, named=bool(mentions or course_life))
    return logistic(linear(read_table("vta.dialogue", WEIGHTS), features)) > thresholds.alpha


def read_features(intent: IntentPrediction, relevance: float, *, named: bool) -> dict[str, float]:
    """Log-odds of h, of another task and of the best relevance; `named` is a concept or course life."""
    return {
        "chit_chat": _log_odds(intent.chit_chat),
        "other_task": _log_odds(intent.other_task),
        "relevance": _log_odds(max(relevance, _LEAST_RELEVANCE)),
        "named": float(named),
    }


def _log_odds(share: float) -> float:
    return math.log((share + _EDGE) / (1 - share + _EDGE))
