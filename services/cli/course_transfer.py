"""`vta course export`, `vta course import`: a course as one portable file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.cli.course_text import course_json
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.course_file.form import Counts
from services.course_file.reading import open_course
from services.course_file.writing import save_course
from services.use_cases.courses import check_course_id
from vta.types import Course, CourseId

_EDITOR = "course import"


def register_transfer(course_app: typer.Typer) -> None:
    """Add the commands to those of `vta course`."""
    course_app.command("export")(export_course)
    course_app.command("import")(import_course)


def export_course(
    course: CourseArgument,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The file to write [COURSE.course.zip].")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Export a course as one file: settings, material, FAQ and graph, without keys, sessions or learners.

    Example: vta course export ds --out ds.course.zip
    """
    file = out or Path(f"{course}.course.zip")
    with platform(home) as vta, vta.stores.transfer.reading(CourseId(course)) as content:
        counts = save_course(content, file)
        _show(content.course, counts, file, as_json=as_json)


def import_course(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of `vta course export`.")],
    as_id: Annotated[str | None, typer.Option("--as", metavar="ID", help="Import under another id.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Import a course from a file, completely or not at all, and index it.

    Example: vta course import ds.course.zip --as ds-2025
    """
    if as_id is not None:
        check_course_id(as_id, "--as")
    with (
        open_course(file, as_id=None if as_id is None else CourseId(as_id)) as content,
        platform(home) as vta,
    ):
        vta.catalogue.take_in(content, editor=_EDITOR)
        _show(content.course, content.counts, file, as_json=as_json)


def _show(course: Course, counts: Counts, file: Path, *, as_json: bool) -> None:
    told = counts.model_dump()
    if as_json:
        show_json({**course_json(course), "counts": told, "file": str(file)})
        return
    held = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in told.items())
    show(f"{course.id} ({course.name}), {file}: {held}")
