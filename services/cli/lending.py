"""`vta course lending`: whose concepts a course may use."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.storage.course_settings import CourseSettings
from vta.types import CourseId


def register_lending(course_app: typer.Typer) -> None:
    """Add the command to those of `vta course`."""
    course_app.command("lending")(lending)


def lending(
    course: CourseArgument,
    shares: Annotated[
        bool | None, typer.Option("--shares/--no-shares", help="Whether other courses may use its concepts.")
    ] = None,
    takes: Annotated[
        bool | None, typer.Option("--takes/--no-takes", help="Whether it uses what other courses share.")
    ] = None,
    platforms: Annotated[
        bool | None,
        typer.Option(
            "--platform/--no-platform", help="Whether its graph is the platform's, for all courses."
        ),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Set whether a course lends its concepts and uses lent ones; without options, show it.

    Courses lend only within a common domain. Example: vta course lending ds --shares --takes
    """

    def edit(found: CourseSettings) -> CourseSettings:
        return replace(
            found,
            shares_concepts=found.shares_concepts if shares is None else shares,
            takes_concepts=found.takes_concepts if takes is None else takes,
        )

    with platform(home) as vta:
        if not (shares is None and takes is None):
            vta.course_settings.change(CourseId(course), edit)
        if platforms is not None:
            vta.stores.courses.name_platform_graph(CourseId(course), is_platform_graph=platforms)
        found = vta.stores.courses.course(CourseId(course))
    flags = {
        "shares_concepts": found.shares_concepts,
        "takes_concepts": found.takes_concepts,
        "is_platform_graph": found.is_platform_graph,
    }
    show_json(flags) if as_json else show("\n".join(f"{name}: {flag}" for name, flag in flags.items()))
