"""A syllabus in the console: its terms are shown, chosen, and kept as seeds of the concept graph."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.pages import page
from services.console.uploads import read_uploads
from services.http.serving import Served
from services.identity.instructor_sessions import InstructorSession, LoggedIn, read_form
from services.use_cases.graph_files import SyllabusTerm, read_syllabus
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.faults import Fault

router = APIRouter()


@router.get("/graph/seeds")
async def seeds(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show(platform, request, who)


@router.post("/graph/seeds")
async def read_file(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Read an uploaded syllabus, and show its terms; nothing is kept yet."""
    try:
        async with read_uploads(request, who, "syllabus") as uploads:
            name, file = uploads[0].name, uploads[0].file.file
            read = partial(
                read_syllabus,
                name=name,
                course=who.course,
                readers=platform.readers,
                each_line="lines" in request.query_params,
            )
            terms = await asyncio.to_thread(read, file)
        compared = await asyncio.to_thread(platform.graphs.compare_terms, who.course.id, terms)
    except InvalidInput as fault:
        return await _show(platform, request, who, fault=fault.fault)
    return await _show(platform, request, who, terms=compared)


@router.post("/graph/seeds/keep")
async def keep(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep the chosen terms in place of the last ones, and build the graph with them."""
    names = (await read_form(request, who)).get("name", ())
    try:
        await asyncio.to_thread(platform.graphs.keep_seeds, who.course.id, names)
        await asyncio.to_thread(platform.graphs.build, who.course.id)
        await asyncio.to_thread(platform.proposals.recheck, who.course.id)
    except InvalidInput as fault:
        return await _show(platform, request, who, fault=fault.fault)
    return RedirectResponse(f"/console/{who.course.id}/graph/seeds?kept", status_code=303)


async def _show(
    platform: Platform,
    request: Request,
    who: InstructorSession,
    *,
    terms: Sequence[SyllabusTerm] = (),
    fault: Fault | None = None,
) -> Response:
    return page(
        request,
        "seeds.html",
        who,
        status=422 if fault else 200,
        seeds=await asyncio.to_thread(platform.graphs.seeds, who.course.id),
        terms=terms,
        kept="kept" in request.query_params,
        fault=fault,
    )
