"""`vta analytics`: what a course's questions say about it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.use_cases.analytics import report_csv, report_json
from vta.analytics.cohorts import Cell
from vta.analytics.report import Report
from vta.types import CourseId

_DAY = ["%Y-%m-%d"]


def register(app: typer.Typer) -> None:
    app.command()(analytics)


def analytics(
    course: CourseArgument,
    first: Annotated[
        datetime | None, typer.Option("--from", formats=_DAY, help="The first day, in UTC.")
    ] = None,
    last: Annotated[
        datetime | None, typer.Option("--to", formats=_DAY, help="The last day, in UTC; today by default.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table for spreadsheets.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Show a course's questions, sessions, satisfaction, routes, concepts and cost, by default for 30 days.

    Example: vta analytics ds --from 2025-03-01 --to 2025-03-31
    """
    with platform(home) as vta:
        days = vta.analytics.days(first and first.date(), last and last.date())
        report = vta.analytics.fresh(CourseId(course), days)
    if as_json:
        show_json(report_json(report))
    elif as_csv:
        typer.echo(report_csv(report), nl=False)
    else:
        _show(report)


def _show(report: Report) -> None:
    show(f"{report.course_id}, {report.first} to {report.last}")
    if report.people is None:
        show(f"fewer than {report.smallest} people asked: nothing is shown")
        return
    show(f"{report.questions} questions in {report.sessions} sessions of {report.people} people")
    figures = (report.rounds, report.unanswerable, report.satisfaction, report.reviewed_good)
    names = ("rounds a session", "unanswerable", "satisfaction", "reviewed good")
    for name, value in zip(names, figures, strict=True):
        show(f"{name}: {'-' if value is None else f'{value:.3f}'}")
    if report.latency:
        show(f"latency: p50 {report.latency.p50} ms, p95 {report.latency.p95} ms")
    for name, cells in (("routes", report.routes), ("endings", report.endings)):
        show(f"{name}: {', '.join(map(_told, cells))}")
    for top in report.top_questions:
        show(f"asked {top.count} times: {top.question}")
    for concept in report.concepts_worst:
        show(f"answered worst: {concept.concept}, badly in {concept.badly or 0.0:.3f} of {concept.count}")
    if report.hidden:
        show(f"hidden, fewer than {report.smallest} people: {len(report.hidden)} cells")


def _told(cell: Cell) -> str:
    return f"{cell.name} {'hidden' if cell.hidden else cell.count}"
