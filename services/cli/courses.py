"""`vta course`, `vta ingest`, `vta reindex`, `vta questions`: what a course holds."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import (
    CourseArgument,
    Home,
    Json,
    Yes,
    group,
    platform,
    require_yes,
    show,
    show_json,
    stores,
)
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import Course, CourseId, KeyId, Role

if TYPE_CHECKING:
    from services.archive.zipped import Manifest
    from vta.ingest.pipeline import IngestReport

_EDITOR = "course import"

course_app = group("Courses. Example: vta course list")


@course_app.command("add")
def add_course(
    *,
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
    from services.courses.service import check_course_id

    check_course_id(course, "COURSE")
    domains = tuple(dict.fromkeys(d.strip() for d in domain if d.strip()))
    if not name.strip() or not domains:
        raise InvalidInput(Fault("option.name_and_domain"))
    added = Course(id=CourseId(course), name=name.strip(), domains=domains, language=language)
    with platform(home) as vta:
        vta.catalogue.add(added)
    show_json(_course_json(added)) if as_json else show(f"added {course} ({name})")


@course_app.command("list")
def list_courses(home: Home = None, as_json: Json = False) -> None:
    """List the courses, one a line. Example: `vta course list --json`."""
    with stores(home) as (store, _):
        for course in store.courses.courses():
            if as_json:
                show_json(_course_json(course))
            else:
                state = "\tarchived" if course.archived else ""
                show(f"{course.id}\t{course.name}\t{', '.join(course.domains)}\t{course.language}{state}")


@course_app.command("remove")
def remove_course(course: CourseArgument, yes: Yes = False, home: Home = None, as_json: Json = False) -> None:
    """Remove a course and everything in it, conversations too. Example: `vta course remove ds --yes`."""
    with platform(home) as vta:
        vta.stores.courses.course(CourseId(course))
        require_yes(course, yes)
        removed = vta.catalogue.remove(CourseId(course))
    show_json(_course_json(removed)) if as_json else show(f"removed {course}")


@course_app.command("key")
def make_key(
    *,
    course: CourseArgument,
    role: Annotated[Role, typer.Option(help="What the key opens.")],
    replaces: Annotated[
        str | None,
        typer.Option(metavar="ID", help="A key of this role that works on for some hours."),
    ] = None,
    hours: Annotated[int, typer.Option(min=0, help="For how long that key works on.")] = 24,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Create a course key, shown only once; its id is what follows `vta_`.

    Example: vta course key ds --role platform --replaces 0123456789ab --hours 24
    """
    old = None if replaces is None else KeyId(replaces)
    with stores(home) as (store, _):
        text, _ = store.keys.make(CourseId(course), role, replaces=old, lasts=timedelta(hours=hours))
    show_json({"key": text}) if as_json else show(text)


@course_app.command("lending")
def lend_platform_graph(
    course: CourseArgument,
    platforms: Annotated[
        bool, typer.Option("--platform/--no-platform", help="Whether its graph is every course's.")
    ],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Set whether a course's graph is the platform's own, which every course uses.

    What courses share with each other is set in the console. Example: vta course lending ds --platform
    """
    with stores(home) as (store, _):
        store.courses.name_platform_graph(CourseId(course), is_platform_graph=platforms)
    row = {"id": course, "is_platform_graph": platforms}
    show_json(row) if as_json else show(f"{course}: the platform's graph: {'yes' if platforms else 'no'}")


@course_app.command("export")
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
    from services.archive.courses import save_course

    file = out or Path(f"{course}.course.zip")
    with stores(home) as (store, settings):
        found = store.courses.course(CourseId(course))
        _show_file(found, save_course(store.engine, found.id, file, settings.home), file, as_json=as_json)


@course_app.command("import")
def import_course(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Of `vta course export` or `vta backup --course`.")
    ],
    as_id: Annotated[str | None, typer.Option("--as", metavar="ID", help="Import under another id.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Import a course from a file, completely or not at all, and index it.

    Example: vta course import ds.course.zip --as ds-2025
    """
    from services.archive.courses import open_course
    from services.courses.service import check_course_id

    if as_id is not None:
        check_course_id(as_id, "--as")
    new_id = None if as_id is None else CourseId(as_id)
    with platform(home) as vta, open_course(file, vta.settings.home, as_id=new_id) as (content, manifest):
        vta.catalogue.take_in(content, editor=_EDITOR)
        _show_file(content.course, manifest, file, as_json=as_json)


def ingest(
    course: CourseArgument,
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, folders, or one website.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Read files and folders, or the pages of a website, into a course.

    Markdown, text, HTML, notebooks, PDF, DOCX, PPTX, EPUB, SRT, WebVTT, FAQ tables (CSV, JSONL, XLSX),
    courses of Moodle (mbz), Canvas (imscc) and Open edX (tar.gz or folder), concepts.json and _toc.yml.
    Example: vta ingest ds notes/ subtitles/ faq.csv
    """
    from tqdm import tqdm

    with (
        platform(home) as vta,
        tqdm(unit="file", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False) as bar,
    ):

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = vta.stores.courses.course(CourseId(course))
        if len(paths) == 1 and paths[0].startswith(("https://", "http://")):
            report = vta.materials.ingest_site(found, paths[0], progress)
        else:
            report = vta.materials.ingest(found, [Path(each) for each in paths], progress)
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
    """List the questions handed to a TA with what became of them, oldest first.

    Example: vta questions ds
    """
    with platform(home) as vta:
        vta.stores.courses.course(CourseId(course))
        for waiting in vta.stores.asked.all_questions(CourseId(course)):
            at = waiting.created_at.isoformat()
            show_json(asdict(waiting)) if as_json else show(f"{waiting.state}\t{at}\t{waiting.question}")


def _course_json(course: Course) -> dict[str, object]:
    from services.web.schemas import CourseOut

    return CourseOut.of(course).model_dump()


def _show_file(course: Course, manifest: Manifest, file: Path, *, as_json: bool) -> None:
    if as_json:
        show_json({**_course_json(course), "rows": manifest.rows, "file": str(file)})
        return
    held = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in manifest.rows.items())
    show(f"{course.id} ({course.name}), {file}: {held}")


def _report_json(report: IngestReport) -> dict[str, object]:
    """The report with its documents counted; only those that were not read are listed."""
    return {
        "added": len(report.added),
        "unchanged": len(report.unchanged),
        "removed": len(report.removed),
        "rejected": [{"path": r.path, "line": r.line, "reason": r.reason} for r in report.rejected],
        "passed_over": list(report.passed_over),
        "pairs": report.pairs,
        "seconds": report.seconds,
    }


def _show_report(report: IngestReport) -> None:
    from vta.ingest.files import count_kinds

    show(
        f"{len(report.added)} added, {len(report.unchanged)} unchanged, {len(report.removed)} removed, "
        f"{len(report.rejected)} rejected; {report.pairs} pairs in {report.seconds:.1f} s"
    )
    if report.passed_over:
        show(f"of other kinds, not read: {count_kinds(report.passed_over)}")
