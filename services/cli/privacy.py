"""`vta privacy`: export and erase what is kept of a learner; erase what is old."""

from __future__ import annotations

from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import CourseId

privacy_app = typer.Typer(
    help="Learner data: export and erase. Example: vta privacy sweep", no_args_is_help=True
)
Learner = Annotated[str, typer.Argument(metavar="LEARNER", help="The platform's id of the learner.")]


def register(app: typer.Typer) -> None:
    app.add_typer(privacy_app, name="privacy")


@privacy_app.command("export")
def export_learner(
    course: CourseArgument, learner: Learner, home: Home = None, as_json: Json = False
) -> None:
    """Print everything stored about a learner in a course, as one JSON object.

    Example: vta privacy export ds student-17
    """
    with platform(home) as vta:
        show_json(vta.learners.export(CourseId(course), learner))


@privacy_app.command("erase")
def erase_learner(course: CourseArgument, learner: Learner, home: Home = None, as_json: Json = False) -> None:
    """Erase a learner's sessions in a course and all they hold. Example: vta privacy erase ds student-17"""
    with platform(home) as vta:
        erased = vta.learners.erase(CourseId(course), learner, vouched=True)
    show_json({"sessions": erased}) if as_json else show(f"erased {erased} sessions")


@privacy_app.command("sweep")
def sweep_old(home: Home = None, as_json: Json = False) -> None:
    """Erase turns older than VTA_RETENTION_DAYS, in all courses. Example: vta privacy sweep"""
    with platform(home) as vta:
        if vta.settings.retention_days is None:
            raise InvalidInput(Fault("option.no_retention"))
        swept = vta.learners.sweep()
    row = {"turns": swept.turns, "sessions": swept.sessions}
    show_json(row) if as_json else show(f"erased {swept.turns} turns and {swept.sessions} sessions")
