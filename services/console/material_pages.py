"""The documents of a course in the console: list, upload with progress, removal."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from services.console.pages import page, page_number
from services.console.uploads import read_uploads
from services.http.serving import Served
from services.http.uploads import MOST_FILES, UploadRefused
from services.identity.instructor_sessions import InstructorSession, LoggedIn, field, read_form
from services.use_cases.ingests import Job
from services.wiring import Platform
from vta.errors import InvalidInput, LimitExceeded
from vta.faults import Fault

PAGE_SIZE = 100


router = APIRouter()


@router.get("/materials")
async def table(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show(platform, request, who)


@router.post("/materials")
async def upload(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Begin to read uploaded files, and show how far it is."""
    try:
        async with read_uploads(request, who, "files") as uploads:
            given = [each.given for each in uploads]
            job = await asyncio.to_thread(platform.materials.begin, who.course, given)
    except (InvalidInput, LimitExceeded) as fault:
        status = 400 if isinstance(fault, UploadRefused) else 422
        return await _show(platform, request, who, fault=fault.fault, status=status)
    return RedirectResponse(f"/console/{who.course.id}/materials/uploads/{job.id}", status_code=303)


@router.get("/materials/uploads/{job}")
async def follow(request: Request, job: str, platform: Served, who: LoggedIn) -> Response:
    return page(request, "ingest.html", who, job=platform.materials.job(who.course.id, job))


@router.get("/materials/uploads/{job}/state")
async def state(job: str, platform: Served, who: LoggedIn) -> JSONResponse:
    return JSONResponse(
        _state(platform.materials.job(who.course.id, job)), headers={"Cache-Control": "no-store"}
    )


@router.post("/materials/remove")
async def remove(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Take a document out of the course."""
    path = field(await read_form(request, who), "path")
    await asyncio.to_thread(platform.materials.remove, who.course.id, path)
    return RedirectResponse(f"/console/{who.course.id}/materials", status_code=303)


async def _show(
    platform: Platform,
    request: Request,
    who: InstructorSession,
    fault: Fault | None = None,
    status: int = 200,
) -> Response:
    sought = request.query_params.get("search", "")[:200]
    matching = await asyncio.to_thread(platform.materials.documents, who.course.id, sought)
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
        number=number,
        last=max(1, -(-len(matching) // PAGE_SIZE)),
        fault=fault,
        most_files=MOST_FILES,
    )


def _state(job: Job) -> dict[str, object]:
    return {"state": job.state, "running": job.running, "done": job.done, "total": job.total}
