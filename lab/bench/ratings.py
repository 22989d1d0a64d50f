"""Replies rated by people: a sheet for each rater, and what the raters agree on, aspect by aspect."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.bench.scoring import Scored
from lab.evaluation.asking import mean_json
from vta.errors import InvalidInput
from vta.faults import Fault

_GIVEN = ("conversation", "turn", "question", "reply")
Floats = NDArray[np.float64]


def write_sheet(file: Path, scored: Sequence[Scored], aspects: Sequence[str]) -> None:
    """A CSV table with a row for each reply and an empty column for each aspect; who replied is not said."""
    with file.open("w", encoding="utf-8-sig", newline="") as out:  # with the mark by which Excel knows UTF-8
        table = csv.writer(out)
        table.writerow([*_GIVEN, *aspects])
        for each in scored:
            turn = each.turn
            table.writerow(
                [turn.conversation, turn.turn, turn.question, each.reply.text, *[""] * len(aspects)]
            )


def measure_ratings(sheets: Sequence[Path]) -> dict[str, object]:
    """By aspect: the mean of all ratings with its 95 % interval over replies, and Krippendorff's alpha.

    A sheet is one rater's, a language model's too. Cells may be empty. `InvalidInput` names the cell that is
    no number, and a sheet whose aspects are not those of the first.
    """
    read = [_read(sheet) for sheet in sheets]
    aspects = list(read[0])
    for sheet, ratings in zip(sheets, read, strict=True):
        if list(ratings) != aspects:
            raise InvalidInput(Fault("bench.aspects", file=str(sheet), aspects=", ".join(aspects)))
    replies = sorted({key for ratings in read for of in ratings.values() for key in of})
    found: dict[str, object] = {}
    for aspect in aspects:
        table = np.array([[of[aspect].get(key, np.nan) for key in replies] for of in read])
        rated = table[:, ~np.isnan(table).all(axis=0)]
        if not rated.size:
            raise InvalidInput(Fault("bench.no_rating", aspect=aspect))
        means = np.nanmean(rated, axis=0)
        alpha = krippendorff_alpha(rated)
        found[aspect] = {
            **mean_json(means.tolist(), seed=0),
            "alpha": None if alpha is None else round(alpha, 4),
        }
    return {"raters": len(sheets), "aspects": found}


def krippendorff_alpha(ratings: Floats) -> float | None:
    """Agreement of raters (rows) on units (columns), nan where one is not rated: 1 is perfect, 0 is chance.

    Krippendorff (2011), "Computing Krippendorff's alpha-reliability", with the metric of intervals,
    (c - k)^2. None where no unit has two ratings, or all ratings are alike.
    """
    units = [column[~np.isnan(column)] for column in ratings.T]
    paired = [unit for unit in units if len(unit) > 1]
    if not paired:
        return None
    values = np.concatenate(paired)
    observed = sum(_squares(unit) / (len(unit) - 1) for unit in paired) / len(values)
    expected = _squares(values) / (len(values) * (len(values) - 1))
    return None if expected == 0 else 1 - observed / expected


def _squares(values: Floats) -> float:
    """The squared differences of all ordered pairs, summed."""
    return float(((values[:, None] - values[None, :]) ** 2).sum())


def _read(sheet: Path) -> Mapping[str, Mapping[tuple[str, str], float]]:
    try:
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(Fault("data.unreadable", file=str(sheet), reason=str(error))) from error
    aspects = [name for name in (rows[0] if rows else ()) if name not in _GIVEN]
    if not aspects or not set(_GIVEN[:2]) <= set(rows[0]):
        raise InvalidInput(Fault("bench.no_sheet", file=str(sheet)), path=str(sheet))
    ratings: dict[str, dict[tuple[str, str], float]] = {aspect: {} for aspect in aspects}
    for number, row in enumerate(rows, start=2):
        for aspect in aspects:
            if given := (row[aspect] or "").strip():
                try:
                    ratings[aspect][row["conversation"], row["turn"]] = float(given)
                except ValueError as error:
                    fault = Fault("bench.rating", file=str(sheet), line=number, aspect=aspect, text=given)
                    raise InvalidInput(fault, path=str(sheet), line=number) from error
    return ratings
