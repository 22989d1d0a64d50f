"""FAQ entries in bulk: a dry run of an uploaded table, then the import itself; and the export."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from fastapi.responses import Response

from knowledge.sources.readers import FaqReader, read_faq_table
from services.console.forms import read_uploads
from services.console.visits import PageRouter, Uploading, Visit, Visiting
from services.faq.service import ImportPlan
from services.web.serving import csv_file
from vta.errors import Conflict, InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.types.courses import CourseId
from vta.types.faq import FaqBatch

SHOWN = 100
"""Rows of each kind on the page of a dry run."""
LARGEST_TABLE = 50000000
"""Bytes."""
LONGEST_NAME = 200
"""Characters of a file's name, from its end."""
_KEPT_S = 24 * 3600
_TOKEN = re.compile(r"[0-9a-f]{32}\.[a-z]{1,8}")

router = PageRouter()


class Waiting:
    """Uploaded tables that wait for a yes, in a folder; one that nobody wanted goes after a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, course_id: CourseId, name: str, content: bytes) -> str:
        """Keep a file; returns what `read` finds it by."""
        folder = self._folder / course_id
        token = f"{secrets.token_hex(16)}{PurePosixPath(name).suffix.lower()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.iterdir():
                if time.time() - old.stat().st_mtime > _KEPT_S:
                    old.unlink(missing_ok=True)
            (folder / token).write_bytes(content)
        except OSError as error:
            raise VtaError(Fault("upload.not_kept", reason=error.strerror or "")) from error
        return token

    def find(self, course_id: CourseId, token: str) -> Path:
        """The file that was kept; `NotFound` where it is gone."""
        file = self._folder / course_id / token
        if not _TOKEN.fullmatch(token) or not file.is_file():
            raise NotFound(Fault("console.upload_gone"))
        return file


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


@router.get("/faq/import")
def show_import(visit: Visiting) -> Response:
    """A form for a table, and what the last one would do or did."""
    return visit.page("import.html", run=None, done=None, stale=False, shown=SHOWN)


@router.form("/faq/import", show_import)
async def try_import(visit: Uploading) -> Response:
    """Read an uploaded table and say what it would do."""
    async with read_uploads(visit, "table") as uploads:
        name, content = uploads[0].name, await uploads[0].file.read(LARGEST_TABLE + 1)
    if not FaqReader().handles(name):
        raise InvalidInput(Fault("console.table_kind", name=name), field="table")
    if len(content) > LARGEST_TABLE:
        raise InvalidInput(Fault("console.table_too_large", name=name, most=LARGEST_TABLE), field="table")
    token = await asyncio.to_thread(_tables(visit).keep, visit.course_id, name, content)
    run = await asyncio.to_thread(_dry_run, visit, token, name)
    return show_import(visit.showing(run=run))


@router.form("/faq/import/confirm", show_import, (InvalidInput,))
def do_import(visit: Visiting) -> Response:
    """Carry a dry run out, in one transaction; another look where entries changed, or at another sheet."""
    token, mark, name = (visit.field(each) for each in ("token", "mark", "file"))
    run = _dry_run(visit, token, name, visit.field("sheet"))
    if "look" in visit.form:
        return show_import(visit.showing(run=run))
    if run.plan.mark != mark:
        return show_import(visit.showing(run=run, stale=True, status=409))
    try:
        batch = visit.platform.faq.apply(visit.course_id, run.plan, editor=visit.who.name, file=run.name)
    except Conflict as conflict:
        run = _dry_run(visit, token, name, visit.field("sheet"))
        if run.plan.mark != mark:
            return show_import(visit.showing(run=run, stale=True, status=409))
        return show_import(replace(visit, fault=conflict).showing(run=run))  # the same plan would fail again
    _tables(visit).find(visit.course_id, token).unlink(missing_ok=True)
    return show_import(visit.showing(done=Imported(plan=run.plan, batch=batch)))


@router.get("/faq/export")
def export(visit: Visiting) -> Response:
    """The entries as a table that can be imported again."""
    return csv_file(f"faq-{visit.course_id}.csv", "\ufeff" + visit.platform.faq.export(visit.course_id))


def _tables(visit: Visit) -> Waiting:
    return Waiting(visit.platform.settings.home / "uploads")


def _dry_run(visit: Visit, token: str, name: str, sheet: str = "") -> DryRun:
    """What the rows of a table would do; faults name it as the instructor does."""
    file = _tables(visit).find(visit.course_id, token)
    called = (PurePosixPath(name[-LONGEST_NAME:]).stem or "table") + file.suffix
    with file.open("rb") as opened:
        table = read_faq_table(opened, path=called, sheet=sheet or None)
    return DryRun(plan=visit.platform.faq.plan(visit.course_id, table), token=token, name=called)
