"""The documents of a course in the console: list, upload with progress, removal."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from services.console.forms import action_of
from services.console.pages import page, page_number
from services.console.uploads import read_uploads
from services.http.serving import Served
from services.http.uploads import LARGEST_UPLOAD_MB
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.storage.ingests import Job
from services.use_cases.kept_files import MOST_FILES, UploadRefused
from services.use_cases.materials import Order
from services.use_cases.upload_plans import Outcome, results_of
from services.wiring import Platform
from vta.errors import InvalidInput, LimitExceeded
from vta.faults import Fault

PAGE_SIZE = 100
MOST_SHOWN = 1000
"""Files of an upload that a page names."""
MOST_NAMED = 5
"""Removed files that are named; of more the number is told."""
MOST_UNDONE = 100
"""Files whose removal is undone by one button; an address names no more. The list of the removed has all."""
SAID = ("none_chosen_files", "files_restored")


router = APIRouter()


@router.get("/materials")
async def table(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show(platform, request, who)


@router.post("/materials")
async def upload(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep uploaded files; read them at once where they replace nothing, else ask first."""
    try:
        async with read_uploads(request, who, "files") as uploads:
            given = [each.given for each in uploads]
            planned = await asyncio.to_thread(platform.materials.prepare, who.course, given)
        if planned.plan.needs_yes:
            return RedirectResponse(f"/console/{who.course.id}/materials/plans/{planned.id}", status_code=303)
        job = await asyncio.to_thread(platform.materials.confirm, who.course, planned.id)
    except (InvalidInput, LimitExceeded) as fault:
        status = 400 if isinstance(fault, UploadRefused) else 422
        return await _show(platform, request, who, fault=fault.fault, status=status)
    return _to(who, job)


@router.get("/materials/plans/{plan}")
async def plan_page(request: Request, plan: str, platform: Served, who: LoggedIn) -> Response:
    """What an upload would replace and remove; nothing has happened yet."""
    planned = await asyncio.to_thread(platform.materials.planned, who.course.id, plan)
    return page(request, "upload_plan.html", who, planned=planned, most=MOST_SHOWN)


@router.post("/materials/plans/{plan}")
async def settle_plan(request: Request, plan: str, platform: Served, who: LoggedIn) -> Response:
    """Carry an upload out or drop it, as the button says."""
    form = await read_form(request, who)
    if action_of(form, ("confirm", "decline")) == "decline":
        await asyncio.to_thread(platform.materials.decline, who.course.id, plan)
        return RedirectResponse(f"/console/{who.course.id}/materials", status_code=303)
    remove = field(form, "remove_missing") == "yes"
    try:
        confirm = partial(platform.materials.confirm, who.course, plan, remove_missing=remove)
        job = await asyncio.to_thread(confirm)
    except LimitExceeded as fault:
        return await _show(platform, request, who, fault=fault.fault, status=422)
    return _to(who, job)


@router.get("/materials/uploads/{job}")
async def follow(request: Request, job: str, platform: Served, who: LoggedIn) -> Response:
    """How far an upload is; when it is over, what became of each file."""
    found = await asyncio.to_thread(platform.materials.job, who.course.id, job)
    results = results_of(found.report) if found.report else ()
    counts = {outcome.value: 0 for outcome in Outcome} | Counter(each.outcome.value for each in results)
    return page(request, "ingest.html", who, job=found, results=results, counts=counts, most=MOST_SHOWN)


@router.get("/materials/uploads/{job}/state")
async def state(job: str, platform: Served, who: LoggedIn) -> JSONResponse:
    found = await asyncio.to_thread(platform.materials.job, who.course.id, job)
    return JSONResponse(_state(found), headers={"Cache-Control": "no-store"})


@router.post("/materials/remove")
async def remove(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Take the chosen documents out of the course, or the one whose button was pressed."""
    paths = _paths(await read_form(request, who))
    if not paths:
        return _back(who, said="none_chosen_files")
    await asyncio.to_thread(platform.materials.remove, who.course.id, *paths)
    return _back(who, removed=paths if len(paths) <= MOST_UNDONE else ())


@router.get("/materials/removed")
async def removed(request: Request, platform: Served, who: LoggedIn) -> Response:
    """The documents that can be restored."""
    documents = await asyncio.to_thread(platform.stores.removed_documents.documents, who.course.id)
    return page(request, "removed_files.html", who, documents=documents)


@router.post("/materials/restore")
async def restore(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Put removed documents back."""
    paths = _paths(await read_form(request, who))
    if not paths:
        return _back(who, said="none_chosen_files")
    await asyncio.to_thread(platform.materials.restore, who.course.id, paths)
    return _back(who, said="files_restored")


async def _show(
    platform: Platform,
    request: Request,
    who: InstructorSession,
    fault: Fault | None = None,
    status: int = 200,
) -> Response:
    query = request.query_params
    sought = query.get("search", "")[:200]
    order = Order(query["order"]) if query.get("order") in set(Order) else Order.PATH
    matching = await asyncio.to_thread(platform.materials.documents, who.course.id, sought, order)
    undoable = [
        each.path
        for each in await asyncio.to_thread(platform.stores.removed_documents.documents, who.course.id)
    ]
    number = page_number(request)
    return page(
        request,
        "materials.html",
        who,
        status=status,
        documents=matching[(number - 1) * PAGE_SIZE : number * PAGE_SIZE],
        folders=len({each.folder for each in matching}),
        total=len(matching),
        search=sought,
        order=order,
        orders=tuple(Order),
        removed=[path for path in query.getlist("removed") if path in undoable],
        most_named=MOST_NAMED,
        said=said if (said := query.get("said", "")) in SAID else "",
        number=number,
        last=max(1, -(-len(matching) // PAGE_SIZE)),
        fault=fault,
        most_files=MOST_FILES,
        most_mb=LARGEST_UPLOAD_MB,
    )


def _paths(form: Form) -> tuple[str, ...]:
    """The document whose own button was pressed, else those that were chosen."""
    return form.get("only") or form.get("path", ())


def _back(who: InstructorSession, *, said: str = "", removed: Sequence[str] = ()) -> RedirectResponse:
    """The list again, with what was done."""
    fields = [("said", said)] if said else [("removed", path) for path in removed]
    query = f"?{urlencode(fields)}" if fields else ""
    return RedirectResponse(f"/console/{who.course.id}/materials{query}", status_code=303)


def _to(who: InstructorSession, job: Job) -> RedirectResponse:
    return RedirectResponse(f"/console/{who.course.id}/materials/uploads/{job.id}", status_code=303)


def _state(job: Job) -> dict[str, object]:
    return {"state": job.state, "running": job.running, "done": job.done, "total": job.total}
