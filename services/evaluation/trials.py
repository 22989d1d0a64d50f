"""What a platform would answer directly, for calibration."""

from __future__ import annotations

from pathlib import Path

from services.evaluation.asking import place_of
from services.evaluation.rows import Row, read_rows
from services.use_cases.lookup import look_up
from services.wiring import Platform
from vta.dialogue.routing import exact_match_first
from vta.errors import InvalidInput
from vta.evaluation.calibration import Trial
from vta.faults import Fault
from vta.types import Candidate, Course, IntentPrediction


def answer_directly(
    vta: Platform, course: Course, text: str
) -> tuple[Candidate | None, float | None, IntentPrediction]:
    """The best pair, what beta is compared with (`Decision.direct_score`), and the intent."""
    known = look_up(vta, course, text, top=vta.settings.top_k)
    pairs = exact_match_first(text, known.ranking.candidates)
    decision = known.decide(vta.settings.thresholds)
    return (pairs[0] if pairs else None), decision.direct_score, known.intent


def read_trials(vta: Platform, course: Course, file: Path) -> list[Trial]:
    """JSON Lines {question, answerable, pair_id?}: asked of the course, with what a direct answer would be.

    It is right where the question is answerable and the best pair is `pair_id`, or any where none is given.
    """
    return [
        _trial(vta, course, row, place_of(file, number))
        for number, row in enumerate(read_rows(file, ("question", "answerable")), start=1)
    ]


def _trial(vta: Platform, course: Course, row: Row, place: Fault) -> Trial:
    text, answerable, wanted = row["question"], row["answerable"], row.get("pair_id")
    if not isinstance(text, str):
        raise InvalidInput(Fault("data.not_text", place=place, field="question"), field="question")
    if not isinstance(answerable, bool):
        raise InvalidInput(Fault("data.not_bool", place=place, field="answerable"), field="answerable")
    if wanted is not None and not isinstance(wanted, str):
        raise InvalidInput(Fault("data.not_text", place=place, field="pair_id"), field="pair_id")
    best, score, intent = answer_directly(vta, course, text)
    right = answerable and best is not None and wanted in (None, best.pair.id)
    return Trial(score=score, right=right, answerable=answerable, chit_chat=intent.chit_chat)
