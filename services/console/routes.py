"""The routes of the console: log-in, log-out, language, static files, and the pages of each part."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.analytics_pages import router as analytics_pages
from services.console.answer_pages import router as answer_pages
from services.console.conversation_pages import router as conversation_pages
from services.console.faq_lists import router as faq_lists
from services.console.faq_pages import router as faq_pages
from services.console.graph_pages import router as graph_pages
from services.console.import_pages import router as import_pages
from services.console.inbox_pages import router as inbox_pages
from services.console.material_pages import router as material_pages
from services.console.notice_pages import router as notice_pages
from services.console.pages import LANGUAGE_COOKIE, page, static_files
from services.console.passage_pages import router as passage_pages
from services.console.prerequisite_pages import router as prerequisite_pages
from services.console.preview_pages import router as preview_pages
from services.console.seed_pages import router as seed_pages
from services.console.settings_pages import router as settings_pages
from services.http.serving import Served
from services.identity.instructor_sessions import (
    COOKIE,
    field,
    parse_form,
    set_cookie,
)
from services.identity.origin import check_origin
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import Language, Role

_TYPES = {".js": "text/javascript", ".css": "text/css"}
LONGEST_NAME = 80
"""Characters of an instructor's name."""


router = APIRouter(prefix="/console", include_in_schema=False)


@router.get("/log-in")
async def log_in_page(request: Request) -> Response:
    return page(request, "log_in.html", None, wrong=False, next=request.query_params.get("next", ""))


@router.post("/log-in")
async def log_in(request: Request, platform: Served) -> Response:
    """Open a session for the bearer of an instructor's key, under a new cookie."""
    check_origin(request)
    form = await parse_form(request)
    key = await asyncio.to_thread(platform.stores.keys.check, field(form, "key").strip())
    if key is None or key.role is not Role.INSTRUCTOR:
        return page(request, "log_in.html", None, status=403, wrong=True, next=field(form, "next"))
    name = " ".join(field(form, "name").split())[:LONGEST_NAME]
    await asyncio.to_thread(platform.stores.console.close, request.cookies.get(COOKIE, ""))
    cookie, _ = await asyncio.to_thread(platform.stores.console.open, key, name)
    home = f"/console/{key.course_id}/"
    back = field(form, "next")
    response = RedirectResponse(back if back.startswith(home) else f"{home}inbox", status_code=303)
    set_cookie(response, request, cookie)
    return response


@router.post("/log-out")
async def log_out(request: Request, platform: Served) -> Response:
    check_origin(request)
    await asyncio.to_thread(platform.stores.console.close, request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/console/log-in", status_code=303)
    response.delete_cookie(COOKIE, path="/console")
    return response


@router.get("/language/{language}")
async def choose_language(request: Request, language: Language) -> Response:
    """Remember the language in which the console is read."""
    back = request.query_params.get("next", "")
    safe = back.startswith("/console/") and "\\" not in back
    response = RedirectResponse(back if safe else "/console/log-in", status_code=303)
    response.set_cookie(
        LANGUAGE_COOKIE,
        language.value,
        path="/console",
        httponly=True,
        secure=request.url.scheme == "https",
        samesite="lax",
    )
    return response


@router.get("/static/{name}")
async def static_file(name: str) -> Response:
    kind = _TYPES.get(PurePosixPath(name).suffix)
    content = static_files().get(name)
    if content is None or kind is None:
        raise NotFound(Fault("console.no_static_file", name=name))
    return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})


for pages in (
    inbox_pages,
    answer_pages,
    import_pages,
    faq_lists,
    faq_pages,
    graph_pages,
    prerequisite_pages,
    seed_pages,
    analytics_pages,
    conversation_pages,
    settings_pages,
    notice_pages,
    preview_pages,
    material_pages,
    passage_pages,
):
    router.include_router(pages, prefix="/{course}")
