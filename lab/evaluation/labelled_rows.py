"""Labelled questions of a course, and what a direct answer to each would be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.evaluation.calibration import Trial
from lab.evaluation.rows import read_rows
from services.dialogue.lookup import LookupSource, look_up
from vta.dialogue.routing import exact_match_first
from vta.types.courses import Course, Thresholds
from vta.types.pairs import Candidate
from vta.types.questions import IntentPrediction


@dataclass(frozen=True, slots=True, kw_only=True)
class _Labelled:
    question: str
    answerable: bool
    pair_id: str | None = None


def answer_directly(
    source: LookupSource, course: Course, text: str, thresholds: Thresholds
) -> tuple[Candidate | None, float | None, IntentPrediction]:
    """The best pair, what beta is compared with (`Decision.direct_score`), and the intent."""
    known = look_up(source, course, text, top=thresholds.top_k)
    pairs = exact_match_first(text, known.ranking.candidates)
    decision = known.decide(thresholds)
    return (pairs[0] if pairs else None), decision.direct_score, known.asked.intent


def read_trials(source: LookupSource, course: Course, file: Path, thresholds: Thresholds) -> list[Trial]:
    """JSON Lines {question, answerable, pair_id?}: asked of the course, with what a direct answer would be.

    It is right where the question is answerable and the best pair is `pair_id`, or any where none is given.
    """
    return [_trial(source, course, row, thresholds) for row in read_rows(file, _Labelled)]


def _trial(source: LookupSource, course: Course, row: _Labelled, thresholds: Thresholds) -> Trial:
    best, score, intent = answer_directly(source, course, row.question, thresholds)
    right = row.answerable and best is not None and row.pair_id in (None, best.pair.id)
    return Trial(score=score, right=right, answerable=row.answerable, chit_chat=intent.chit_chat)
