"""FAQ entries in bulk: a dry run of an uploaded table, then the import itself; and the export."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from knowledge.sources.readers import FaqReader
from services.console.pages import page
from services.console.uploads import Waiting, read_uploads
from services.identity.instructor_sessions import InstructorSession, field, instructor_sessions_of, read_form
from services.indexing.sync import sync_index
from services.use_cases.faq_tables import ImportPlan, draft_of_row, plan_import, write_table
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.types import Course, FaqDraft, FaqEntry

SHOWN = 100
"""Rows of each kind on the page of a dry run."""
LARGEST_TABLE = 50_000_000
"""Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a table would do; `token` finds it again, `mark` tells whether entries changed meanwhile."""

    plan: ImportPlan
    rejected: tuple[InvalidInput, ...]
    token: str
    mark: str


def import_pages(platform: Platform) -> APIRouter:
    """The pages of import and export over one platform."""
    router = APIRouter()
    instructor = Depends(instructor_sessions_of(platform))
    faq = platform.stores.faq
    waiting = Waiting(platform.settings.home / "uploads")

    @router.get("/faq/import")
    async def import_page(request: Request, who: InstructorSession = instructor) -> Response:
        return show(request, who)

    @router.post("/faq/import")
    async def try_import(request: Request, who: InstructorSession = instructor) -> Response:
        """Read an uploaded table and say what it would do."""
        try:
            async with read_uploads(request, who, "table") as uploads:
                name, content = uploads[0].name, await uploads[0].file.read(LARGEST_TABLE + 1)
            if not FaqReader().handles(name):
                raise InvalidInput(f"{name}: a table ends in .csv, .xlsx or .jsonl", field="table")
            if len(content) > LARGEST_TABLE:
                raise InvalidInput(f"{name}: has more than {LARGEST_TABLE} bytes", field="table")
            token = await asyncio.to_thread(waiting.keep, who.course.id, name, content)
            found = await asyncio.to_thread(dry_run, who.course, token)
        except InvalidInput as fault:
            return show(request, who, fault=fault.message)
        return show(request, who, run=found)

    @router.post("/faq/import/confirm")
    async def do_import(request: Request, who: InstructorSession = instructor) -> Response:
        """Carry a dry run out, in one transaction; another look where entries changed meanwhile."""
        form = await read_form(request, who)
        token = field(form, "token")
        found = await asyncio.to_thread(dry_run, who.course, token)
        if found.mark != field(form, "mark"):
            return show(request, who, run=found, stale=True)
        try:
            await asyncio.to_thread(
                faq.add, who.course.id, found.plan.new, changed=found.plan.changed, editor=who.name
            )
        except Conflict:
            return show(request, who, run=await asyncio.to_thread(dry_run, who.course, token), stale=True)
        await asyncio.to_thread(sync_index, platform.knowledge)
        waiting.find(who.course.id, token).unlink(missing_ok=True)
        return show(request, who, done=found.plan)

    @router.get("/faq/export")
    async def export(who: InstructorSession = instructor) -> Response:
        entries = await asyncio.to_thread(faq.entries, who.course.id)
        headers = {"Content-Disposition": f'attachment; filename="faq-{who.course.id}.csv"'}
        return Response("\ufeff" + write_table(entries), media_type="text/csv", headers=headers)

    def dry_run(course: Course, token: str) -> DryRun:
        rejected: list[InvalidInput] = []
        file = waiting.find(course.id, token)
        entries = faq.entries(course.id)
        plan = plan_import(entries, _drafts(file, course, rejected))
        return DryRun(plan=plan, rejected=tuple(rejected), token=token, mark=_mark(entries))

    def show(
        request: Request,
        who: InstructorSession,
        *,
        run: DryRun | None = None,
        done: ImportPlan | None = None,
        stale: bool = False,
        fault: str = "",
    ) -> Response:
        return page(
            request,
            "import.html",
            who,
            status=422 if fault else 409 if stale else 200,
            run=run,
            done=done,
            stale=stale,
            fault=fault,
            shown=SHOWN,
        )

    return router


def _drafts(file: Path, course: Course, rejected: list[InvalidInput]) -> list[FaqDraft]:
    with file.open("rb") as opened:
        pairs = (
            FaqReader(on_fault=rejected.append).read(opened, path="table" + file.suffix, course=course).pairs
        )
    return [draft_of_row(pair) for pair in pairs]


def _mark(entries: tuple[FaqEntry, ...]) -> str:
    """Differs wherever an entry was added, changed or removed."""
    state = "\n".join(f"{entry.id} {entry.version}" for entry in entries)
    return hashlib.sha256(state.encode()).hexdigest()[:32]
