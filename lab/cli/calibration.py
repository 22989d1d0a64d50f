"""`vta calibrate`: a course's alpha and beta from labelled questions."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from lab.evaluation.calibration import calibrate
from lab.evaluation.labelled_rows import read_trials
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from vta.types.courses import CourseId

MaxError = Annotated[float, typer.Option("--max-error", help="Accepted share of wrong direct answers.")]


def calibrate_course(
    course: CourseArgument,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="JSON Lines {question, answerable, pair_id?}.")
    ],
    max_error: MaxError = 0.05,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Learn a course's alpha and beta from labelled questions and store them.

    Beta is the lowest value at which at most --max-error of the direct answers are wrong, with 95 %
    confidence. Example: vta calibrate ds labelled.jsonl --max-error 0.05
    """
    with platform(home) as vta:
        found = vta.stores.courses.course(CourseId(course))
        trials = read_trials(vta, found, data, vta.settings.thresholds)
        learned = calibrate(trials, max_error=max_error, alpha=vta.settings.alpha)
        vta.course_settings.change(
            found.id, lambda settings: replace(settings, alpha=learned.alpha, beta=learned.beta)
        )
    if as_json:
        show_json(asdict(learned))
        return
    show("beta\tcoverage\terror\tat most (95 %)")
    for point in learned.curve:
        show(f"{point.beta:.3f}\t{point.coverage:.3f}\t{point.error:.3f}\t{point.error_upper_bound:.3f}")
    show(
        f"{course}: alpha = {learned.alpha:.3f}, beta = {learned.beta:.3f}; {learned.coverage:.0%} of "
        f"{learned.n} questions answered directly, {learned.error:.1%} of these wrong, "
        f"at most {learned.error_upper_bound:.1%} with 95 % confidence"
    )
