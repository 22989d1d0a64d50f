"""`vta course`, `vta ingest`, `vta reindex`, `vta questions`: what a course holds."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from services.cli.course_text import course_json
from services.cli.course_transfer import register_transfer
from services.cli.embedding import register_embedding
from services.cli.lending import register_lending
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.use_cases.courses import check_course_id
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.report import IngestReport
from vta.types import Course, CourseId, Language, Role

course_app = typer.Typer(help="Courses. Example: vta course list", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    register_embedding(course_app)
    register_lending(course_app)
    register_transfer(course_app)
    app.add_typer(course_app, name="course")
    app.command("ingest")(ingest_paths)
    app.command()(reindex)
    app.command()(questions)


@course_app.command("add")
def add_course(
    course: CourseArgument,
    name: Annotated[str, typer.Option(help="The name students see.")],
    domain: Annotated[list[str], typer.Option(help="A domain of the course; repeatable.")],
    language: Annotated[Language, typer.Option(help="The language of its material.")] = Language.ZH,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add a course.

    Example: vta course add ds --name 数据结构 --domain 计算机 --language zh
    """
    check_course_id(course, "COURSE")
    domains = tuple(dict.fromkeys(d.strip() for d in domain if d.strip()))
    if not name.strip() or not domains:
        raise InvalidInput(Fault("option.name_and_domain"))
    added = Course(id=CourseId(course), name=name.strip(), domains=domains, language=language)
    with platform(home) as vta:
        vta.catalogue.add(added)
    show_json(course_json(added)) if as_json else show(f"added {course} ({name})")


@course_app.command("list")
def list_courses(home: Home = None, as_json: Json = False) -> None:
    """List the courses, one a line. Example: vta course list --json"""
    with platform(home) as vta:
        for course in vta.stores.courses.courses():
            if as_json:
                show_json(course_json(course))
            else:
                state = "\tarchived" if course.archived else ""
                show(f"{course.id}\t{course.name}\t{', '.join(course.domains)}\t{course.language}{state}")


@course_app.command("edit")
def edit_course(
    course: CourseArgument,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    domain: Annotated[list[str] | None, typer.Option(help="Its domains from now on; repeatable.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Rename a course or change its domains. Example: vta course edit ds --name "Data structures" """
    with platform(home) as vta:
        edited = vta.catalogue.edit(CourseId(course), name=name, domains=domain)
    show_json(course_json(edited)) if as_json else show(f"{edited.id} ({edited.name})")


@course_app.command("archive")
def archive_course(
    course: CourseArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Open the course again.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Close a course to questions and changes; nothing is removed. Example: vta course archive ds"""
    with platform(home) as vta:
        archived = vta.catalogue.archive(CourseId(course), not undo)
    state = "archived" if archived.archived else "open"
    show_json(course_json(archived)) if as_json else show(f"{course} is {state}")


@course_app.command("remove")
def remove_course(course: CourseArgument, home: Home = None, as_json: Json = False) -> None:
    """Remove a course and everything in it. Example: vta course remove ds"""
    with platform(home) as vta:
        removed = vta.catalogue.remove(CourseId(course))
    show_json(course_json(removed)) if as_json else show(f"removed {course}")


@course_app.command("key")
def make_key(
    course: CourseArgument,
    role: Annotated[Role, typer.Option(help="What the key opens.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Create a course key, shown only once. Example: vta course key ds --role instructor"""
    with platform(home) as vta:
        text, _ = vta.stores.keys.make(CourseId(course), role)
    show_json({"key": text}) if as_json else show(text)


def ingest_paths(
    course: CourseArgument,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Read files and folders into a course.

    Markdown, text, HTML, PDF, DOCX, PPTX, SRT, WebVTT, FAQ tables (CSV, JSONL, XLSX), Open edX exports
    (tar.gz or folder) and concepts.json. Example: vta ingest ds notes/ subtitles/ faq.csv
    """
    with (
        platform(home) as vta,
        tqdm(unit="file", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False) as bar,
    ):

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        report = vta.materials.ingest(vta.stores.courses.course(CourseId(course)), paths, progress)
    show_json(_report_json(report)) if as_json else _show_report(report)
    for rejection in report.rejected:
        typer.echo(f"rejected: {rejection.reason}", err=True)
    if report.rejected and not (report.added or report.unchanged):
        raise typer.Exit(2)


def reindex(
    course: Annotated[str | None, typer.Argument(metavar="[COURSE]", help="The id of a course.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Rebuild the search index and swap it in.

    All courses share one index, so all are rebuilt, whichever is named. Example: vta reindex
    """
    with platform(home) as vta:
        if course is not None:
            vta.stores.courses.course(CourseId(course))
        vta.knowledge.reindex()
        stamp = vta.index.stamp()
    show_json({"made_at": stamp}) if as_json else show(f"the index is rebuilt, made at {stamp}")


def questions(course: CourseArgument, home: Home = None, as_json: Json = False) -> None:
    """List the questions handed to a TA with what became of them, oldest first. Example: vta questions ds"""
    with platform(home) as vta:
        vta.stores.courses.course(CourseId(course))
        for waiting in vta.stores.sessions.waiting_questions(CourseId(course)):
            row = {
                **asdict(waiting),
                "created_at": waiting.created_at.isoformat(),
                "resolved_at": waiting.resolved_at.isoformat() if waiting.resolved_at else None,
            }
            show_json(row) if as_json else show(f"{waiting.state}\t{row['created_at']}\t{waiting.question}")


def _report_json(report: IngestReport) -> dict[str, object]:
    """The report with its documents counted; only the rejected ones are listed."""
    return {
        "added": len(report.added),
        "unchanged": len(report.unchanged),
        "removed": len(report.removed),
        "rejected": [
            {"path": rejection.path, "line": rejection.line, "reason": rejection.reason}
            for rejection in report.rejected
        ],
        "pairs": report.pairs,
        "seconds": report.seconds,
    }


def _show_report(report: IngestReport) -> None:
    show(
        f"{len(report.added)} added, {len(report.unchanged)} unchanged, {len(report.removed)} removed, "
        f"{len(report.rejected)} rejected; {report.pairs} pairs in {report.seconds:.1f} s"
    )
