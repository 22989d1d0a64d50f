"""The page of a file of a course: its passages as students see them, and the switch of each."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.forms import action_of
from services.console.pages import page, page_number, whole_number
from services.http.serving import Served
from services.identity.instructor_sessions import LoggedIn, field, read_form

LONGEST_SEARCH = 200
MOST_PROBLEMS = 200
SAID = ("switched_on", "switched_off")

router = APIRouter()


@router.get("/materials/file")
async def file(request: Request, platform: Served, who: LoggedIn, path: str = "") -> Response:
    """The passages of a file, or those that hold what is sought."""
    query = request.query_params
    sought = query.get("search", "")[:LONGEST_SEARCH]
    read = partial(platform.passages.page, who.course.id, path, sought=sought, number=page_number(request))
    said = query.get("said", "")
    return page(
        request,
        "material.html",
        who,
        shown=await asyncio.to_thread(read),
        search=sought,
        said=said if said in SAID else "",
        anchored="at" in query,
        most=MOST_PROBLEMS,
    )


@router.post("/materials/passages")
async def switch(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Switch passages of a file off or on, as the button says; then the same page."""
    form = await read_form(request, who)
    action, path, passages = action_of(form, ("on", "off")), field(form, "path"), form.get("passage", ())
    switched = partial(platform.passages.switch, who.course.id, path, passages, on=action == "on")
    await asyncio.to_thread(switched)
    at = field(form, "at")
    fields = {
        "path": path,
        "search": field(form, "search")[:LONGEST_SEARCH],
        "page": str(whole_number(field(form, "page"))),
        "said": f"switched_{action}",
        "at": at,
    }
    query = urlencode({name: value for name, value in fields.items() if value})
    anchor = f"#p-{quote(at)}" if at else ""
    return RedirectResponse(f"/console/{who.course.id}/materials/file?{query}{anchor}", status_code=303)


@router.get("/materials/text")
async def text(platform: Served, who: LoggedIn, path: str = "") -> Response:
    """What was read of a file, as Markdown to keep."""
    read = await asyncio.to_thread(platform.passages.text, who.course.id, path)
    name = quote(f"{PurePosixPath(path).stem}.md")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}", "Cache-Control": "no-store"}
    return Response(read, media_type="text/markdown; charset=utf-8", headers=headers)
