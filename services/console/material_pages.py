"""The documents of a course in the console: list, upload with progress, removal."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path, PurePosixPath

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from services.console.access import Visitor, field, read_form, visitors_of
from services.console.ingests import Ingests, Job
from services.console.pages import page, page_number
from services.console.uploads import read_uploads, save
from services.publishing import catch_up
from services.wiring import Platform
from vta.errors import InvalidInput, LimitExceeded, NotFound
from vta.text import normalise

PAGE_SIZE = 100


def material_pages(platform: Platform) -> APIRouter:
    """The pages of a course's documents over one platform."""
    router = APIRouter()
    visitor = Depends(visitors_of(platform))
    documents, ingests = platform.stores.documents, Ingests(platform)

    @router.get("/materials")
    async def table(request: Request, who: Visitor = visitor) -> Response:
        return await show(request, who)

    @router.post("/materials")
    async def upload(request: Request, who: Visitor = visitor) -> Response:
        """Begin to read uploaded files, and show how far it is."""
        try:
            async with read_uploads(request, who, "files") as uploads:
                for each in uploads:
                    if not any(reader.handles(each.name) for reader in platform.readers):
                        raise InvalidInput(f"{each.name}: this kind of file is not read", field="files")
                folder = Path(tempfile.mkdtemp(prefix="vta-upload-"))
                try:
                    job = ingests.start(who.course, await save(uploads, folder), folder)
                except BaseException:
                    shutil.rmtree(folder, ignore_errors=True)
                    raise
        except (InvalidInput, LimitExceeded) as fault:
            return await show(request, who, fault=fault.message)
        return RedirectResponse(f"/console/{who.course.id}/materials/uploads/{job.id}", status_code=303)

    @router.get("/materials/uploads/{job}")
    async def follow(request: Request, job: str, who: Visitor = visitor) -> Response:
        return page(request, "ingest.html", who, job=ingests.find(who.course.id, job))

    @router.get("/materials/uploads/{job}/state")
    async def state(job: str, who: Visitor = visitor) -> JSONResponse:
        return JSONResponse(_state(ingests.find(who.course.id, job)), headers={"Cache-Control": "no-store"})

    @router.post("/materials/remove")
    async def remove(request: Request, who: Visitor = visitor) -> Response:
        """Take a document out of the course."""
        path = field(await read_form(request, who), "path")
        known = await asyncio.to_thread(documents.summaries, who.course.id)
        if path not in {each.path for each in known}:
            raise NotFound(f"the course has no document {path!r}")
        await asyncio.to_thread(documents.apply, who.course.id, put=(), remove=[path])
        await asyncio.to_thread(catch_up, platform.knowledge)
        return RedirectResponse(f"/console/{who.course.id}/materials", status_code=303)

    async def show(request: Request, who: Visitor, fault: str = "") -> Response:
        sought = request.query_params.get("search", "")[:200]
        found = await asyncio.to_thread(documents.summaries, who.course.id)
        matching = [each for each in found if normalise(sought) in normalise(each.path)]
        number = page_number(request)
        return page(
            request,
            "materials.html",
            who,
            status=422 if fault else 200,
            documents=[
                (each, PurePosixPath(each.path).suffix.lstrip(".").upper())
                for each in matching[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
            ],
            folders=len({each.folder for each in found}),
            total=len(matching),
            search=sought,
            number=number,
            last=max(1, -(-len(matching) // PAGE_SIZE)),
            fault=fault,
        )

    return router


def _state(job: Job) -> dict[str, object]:
    return {"state": job.state, "running": job.running, "done": job.done, "total": job.total}
