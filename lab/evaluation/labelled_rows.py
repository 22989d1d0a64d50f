"""Data that a person labelled: JSON Lines whose faults name file, line and field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.evaluation.calibration import Trial
from services.cli.output import read_text
from services.dialogue.lookup import LookupSource, look_up
from vta.dialogue.routing import exact_match_first
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import Course, Thresholds
from vta.types.pairs import Candidate
from vta.types.questions import IntentPrediction

Row = Mapping[str, object]


def read_rows(file: Path, fields: Sequence[str] = ()) -> list[Row]:
    """The objects of a JSON Lines file, each holding `fields`."""
    rows: list[Row] = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InvalidInput(
                Fault("data.not_json", file=str(file), line=number, reason=error.msg),
                path=str(file),
                line=number,
            ) from error
        missing = [name for name in fields if not isinstance(row, dict) or name not in row]
        if missing:
            raise InvalidInput(
                Fault("data.no_field", file=str(file), line=number, field=missing[0]),
                path=str(file),
                line=number,
                field=missing[0],
            )
        rows.append(row)
    if not rows:
        raise InvalidInput(Fault("data.no_row", file=str(file)), path=str(file))
    return rows


def place_of(file: Path, number: int) -> Fault:
    """How a row is named in a fault, counted from 1."""
    return Fault("name.row", file=str(file), row=number)


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
    return [
        _trial(source, course, row, place_of(file, number), thresholds)
        for number, row in enumerate(read_rows(file, ("question", "answerable")), start=1)
    ]


def _trial(source: LookupSource, course: Course, row: Row, place: Fault, thresholds: Thresholds) -> Trial:
    text, answerable, wanted = row["question"], row["answerable"], row.get("pair_id")
    if not isinstance(text, str):
        raise InvalidInput(Fault("data.not_text", place=place, field="question"), field="question")
    if not isinstance(answerable, bool):
        raise InvalidInput(Fault("data.not_bool", place=place, field="answerable"), field="answerable")
    if wanted is not None and not isinstance(wanted, str):
        raise InvalidInput(Fault("data.not_text", place=place, field="pair_id"), field="pair_id")
    best, score, intent = answer_directly(source, course, text, thresholds)
    right = answerable and best is not None and wanted in (None, best.pair.id)
    return Trial(score=score, right=right, answerable=answerable, chit_chat=intent.chit_chat)
