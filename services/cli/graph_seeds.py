"""`vta graph seeds`: the names that a syllabus or a list of learning objectives gives to every build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.use_cases.graph_files import read_syllabus
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import CourseId


def register(app: typer.Typer) -> None:
    app.command("seeds")(seeds)


def seeds(
    course: CourseArgument,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A syllabus or learning objectives.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Each line is one term, whole.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the terms.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Keep none any more.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Take the terms of a syllabus as concepts: those that the material holds are kept for every build.

    They replace the ones before; without a file, the kept ones are listed.
    Example: vta graph seeds ds syllabus.md && vta graph build ds
    """
    course_id = CourseId(course)
    with platform(home) as vta:
        found = vta.stores.courses.course(course_id)
        if remove:
            vta.graphs.keep_seeds(course_id, ())
        if file is None:
            for name in vta.graphs.seeds(course_id):
                show_json({"name": name}) if as_json else show(name)
            return
        try:
            with file.open("rb") as opened:
                terms = read_syllabus(
                    opened, name=file.name, course=found, readers=vta.readers, each_line=lines
                )
        except OSError as error:
            raise InvalidInput(
                Fault("data.unreadable", file=str(file), reason=error.strerror or ""), path=str(file)
            ) from error
        compared = vta.graphs.compare_terms(course_id, terms)
        kept = tuple(each.name for each in compared if each.occurs)
        if not dry_run:
            vta.graphs.keep_seeds(course_id, kept)
    if as_json:
        for each in compared:
            show_json({"name": each.name, "occurs": each.occurs})
        return
    for each in compared:
        show(each.name if each.occurs else f"{each.name}\t(not in the material)")
    show(f"{len(kept)} of {len(compared)} terms are in the material" + ("" if dry_run else " and kept"))
