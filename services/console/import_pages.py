"""FAQ entries in bulk: a dry run of an uploaded table, then the import itself; and the export."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from knowledge.sources.readers import FaqReader, read_faq_table
from services.console.pages import page
from services.console.uploads import Waiting, read_uploads
from services.http.serving import Served
from services.identity.instructor_sessions import InstructorSession, LoggedIn, field, read_form
from services.use_cases.faq import FaqService, ImportPlan
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types import CourseId, FaqBatch

SHOWN = 100
"""Rows of each kind on the page of a dry run."""
LARGEST_TABLE = 50_000_000
"""Bytes."""
LONGEST_NAME = 200
"""Characters of a file's name, from its end."""

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a table would do; `token` finds it again, and `name` is what the instructor calls it."""

    plan: ImportPlan
    token: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did; `batch` undoes it, and is None where there was nothing to do."""

    plan: ImportPlan
    batch: FaqBatch | None


async def _waiting_tables(platform: Served) -> Waiting:
    return Waiting(platform.settings.home / "uploads")


WaitingTables = Annotated[Waiting, Depends(_waiting_tables)]


@router.get("/faq/import")
async def import_page(request: Request, who: LoggedIn) -> Response:
    """A form for a table."""
    return _show(request, who)


@router.post("/faq/import")
async def try_import(request: Request, platform: Served, tables: WaitingTables, who: LoggedIn) -> Response:
    """Read an uploaded table and say what it would do."""
    try:
        async with read_uploads(request, who, "table") as uploads:
            name, content = uploads[0].name, await uploads[0].file.read(LARGEST_TABLE + 1)
        if not FaqReader().handles(name):
            raise InvalidInput(Fault("console.table_kind", name=name), field="table")
        if len(content) > LARGEST_TABLE:
            raise InvalidInput(Fault("console.table_too_large", name=name, most=LARGEST_TABLE), field="table")
        token = await asyncio.to_thread(tables.keep, who.course.id, name, content)
        run = await asyncio.to_thread(_dry_run, platform.faq, tables, who.course.id, token, name)
    except InvalidInput as fault:
        return _show(request, who, fault=fault.fault, status=422)
    return _show(request, who, run=run)


@router.post("/faq/import/confirm")
async def do_import(request: Request, platform: Served, tables: WaitingTables, who: LoggedIn) -> Response:
    """Carry a dry run out, in one transaction; another look where entries changed, or at another sheet."""
    form = await read_form(request, who)
    token, mark, name = (field(form, each) for each in ("token", "mark", "file"))
    given = (platform.faq, tables, who.course.id, token, name, field(form, "sheet"))
    try:
        run = await asyncio.to_thread(_dry_run, *given)
    except InvalidInput as fault:
        return _show(request, who, fault=fault.fault, status=422)
    if "look" in form:
        return _show(request, who, run=run)
    if run.plan.mark != mark:
        return _show(request, who, run=run, stale=True, status=409)
    try:
        batch = await asyncio.to_thread(
            platform.faq.apply, who.course.id, run.plan, editor=who.name, file=run.name
        )
    except Conflict as conflict:
        run = await asyncio.to_thread(_dry_run, *given)
        stale = run.plan.mark != mark  # else the same plan would fail again, and the page says why
        return _show(request, who, run=run, stale=stale, fault=None if stale else conflict.fault, status=409)
    tables.find(who.course.id, token).unlink(missing_ok=True)
    return _show(request, who, done=Imported(plan=run.plan, batch=batch))


@router.get("/faq/export")
async def export(platform: Served, who: LoggedIn) -> Response:
    """The entries as a table that can be imported again."""
    table = await asyncio.to_thread(platform.faq.export, who.course.id)
    headers = {"Content-Disposition": f'attachment; filename="faq-{who.course.id}.csv"'}
    return Response("\ufeff" + table, media_type="text/csv", headers=headers)


def _dry_run(
    faq: FaqService, tables: Waiting, course_id: CourseId, token: str, name: str, sheet: str = ""
) -> DryRun:
    """What the rows of a table would do; faults name it as the instructor does."""
    file = tables.find(course_id, token)
    called = (PurePosixPath(name[-LONGEST_NAME:]).stem or "table") + file.suffix
    with file.open("rb") as opened:
        table = read_faq_table(opened, path=called, sheet=sheet or None)
    return DryRun(plan=faq.plan(course_id, table), token=token, name=called)


def _show(
    request: Request,
    who: InstructorSession,
    *,
    run: DryRun | None = None,
    done: Imported | None = None,
    stale: bool = False,
    fault: Fault | None = None,
    status: int = 200,
) -> Response:
    return page(
        request,
        "import.html",
        who,
        status=status,
        run=run,
        done=done,
        stale=stale,
        fault=fault,
        shown=SHOWN,
    )
