"""FAQ entries in bulk: a dry run of an uploaded table, then the import itself; and the export."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath

from fastapi.responses import Response

from knowledge.sources.readers import FaqReader, read_faq_table
from services.console.forms import read_uploads
from services.console.visits import PageRouter, Uploading, Visit, Visiting
from services.faq.service import ImportPlan
from services.web.serving import csv_file
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault

SHOWN = 100
"""Rows of each kind on the page of a dry run."""
LARGEST_TABLE = 50000000
"""Bytes."""
LONGEST_NAME = 200
"""Characters of a file's name, from its end."""

router = PageRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """The plan for an uploaded table, the token of the upload, and the name of its file."""

    plan: ImportPlan
    token: str
    name: str


@router.get("/faq/import")
def show_import(visit: Visiting) -> Response:
    """A form for a table, and what the last one would do or did."""
    return visit.page("import.html", run=None, done=None, batch=None, stale=False, shown=SHOWN)


@router.form("/faq/import", show_import)
async def try_import(visit: Uploading) -> Response:
    """Read an uploaded table and say what it would do."""
    async with read_uploads(visit, "table") as uploads:
        name, content = uploads[0].name, await uploads[0].file.read(LARGEST_TABLE + 1)
    if not FaqReader().handles(name):
        raise InvalidInput(Fault("console.table_kind", name=name), field="table")
    if len(content) > LARGEST_TABLE:
        raise InvalidInput(Fault("console.table_too_large", name=name, most=LARGEST_TABLE), field="table")
    waiting, opened = visit.platform.stores.waiting_uploads, partial(BytesIO, content)
    called = PurePosixPath(name[-LONGEST_NAME:]).name
    token = await asyncio.to_thread(waiting.add, visit.course_id, {}, [(called, opened)])
    run = await asyncio.to_thread(_dry_run, visit, token)
    return show_import(visit.showing(run=run))


@router.form("/faq/import/confirm", show_import, (InvalidInput,))
def do_import(visit: Visiting) -> Response:
    """Carry a dry run out, in one transaction; another look where entries changed, or at another sheet."""
    token, mark = visit.field("token"), visit.field("mark")
    run = _dry_run(visit, token, visit.field("sheet"))
    if "look" in visit.form:
        return show_import(visit.showing(run=run))
    if run.plan.mark != mark:
        return show_import(visit.showing(run=run, stale=True, status=409))
    try:
        batch = visit.platform.faq.apply(visit.course_id, run.plan, editor=visit.who.name, file=run.name)
    except Conflict as conflict:
        run = _dry_run(visit, token, visit.field("sheet"))
        if run.plan.mark != mark:
            return show_import(visit.showing(run=run, stale=True, status=409))
        return show_import(replace(visit, fault=conflict).showing(run=run))  # the same plan would fail again
    visit.platform.stores.waiting_uploads.remove(visit.course_id, token)
    return show_import(visit.showing(done=run.plan, batch=batch))


@router.get("/faq/export")
def export(visit: Visiting) -> Response:
    """The entries as a table that can be imported again."""
    return csv_file(f"faq-{visit.course_id}.csv", "\ufeff" + visit.platform.faq.export(visit.course_id))


def _dry_run(visit: Visit, token: str, sheet: str = "") -> DryRun:
    """The plan for the rows of a table; faults have the name of its file."""
    uploads = visit.platform.stores.waiting_uploads
    if uploads.details(visit.course_id, token):  # not a table
        raise NotFound(Fault("upload.gone"))
    pieces = tuple(uploads.pieces(token))
    name, content = pieces[0][0], b"".join(piece for _, piece in pieces)
    table = read_faq_table(BytesIO(content), path=name, sheet=sheet or None)
    return DryRun(plan=visit.platform.faq.plan(visit.course_id, table), token=token, name=name)
