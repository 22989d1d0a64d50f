"""The two forks of a question, as arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from vta.types import Candidate, IntentLabel, IntentPrediction, Route, Thresholds


def is_chit_chat(intent: IntentPrediction, thresholds: Thresholds) -> bool:
    """h > alpha."""
    return intent.chit_chat > thresholds.alpha


def beta_for(intent: IntentPrediction, thresholds: Thresholds) -> float:
    """Beta, raised for complex questions: near beta, Chain of Teach serves them better."""
    complex_question = intent.label is IntentLabel.COMPLEX
    return thresholds.beta * (thresholds.complex_margin if complex_question else 1.0)


def supported(candidates: Sequence[Candidate], thresholds: Thresholds) -> tuple[Candidate, ...]:
    """The candidates that count as knowledge: S at or above the floor."""
    return tuple(candidate for candidate in candidates if candidate.score >= thresholds.floor)


def choose_route(knowledge: Sequence[Candidate], *, beta: float, concepts_known: bool) -> Route:
    """Direct where the best S > beta, Chain of Teach where anything is known, else unanswered."""
    if knowledge and knowledge[0].score > beta:
        return Route.DIRECT
    return Route.CHAIN_OF_TEACH if knowledge or concepts_known else Route.UNANSWERED
