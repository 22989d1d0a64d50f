"""The routes of the console: language, static files, and the pages of each part."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.account_pages import router as account_pages
from services.console.analytics_pages import router as analytics_pages
from services.console.concept_pages import router as concept_pages
from services.console.conversation_pages import router as conversation_pages
from services.console.faq_pages import router as faq_pages
from services.console.import_pages import router as import_pages
from services.console.inbox_pages import router as inbox_pages
from services.console.log_in_pages import router as log_in_pages
from services.console.material_pages import router as material_pages
from services.console.pages import LANGUAGE_COOKIE
from services.console.people_pages import router as people_pages
from services.console.prerequisite_pages import router as prerequisite_pages
from services.console.preview_pages import router as preview_pages
from services.console.settings_pages import router as settings_pages
from services.rendering.templates import static_files
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import Language

_TYPES = {".js": "text/javascript", ".css": "text/css"}

router = APIRouter(prefix="/console", include_in_schema=False)


@router.get("")
async def home() -> Response:
    return RedirectResponse("/console/-/courses", status_code=303)


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
    file = static_files("services.console").get(name)
    if file is None or kind is None:
        raise NotFound(Fault("console.no_static_file", name=name))
    return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})


for pages in (log_in_pages, account_pages):
    router.include_router(pages)
for pages in (
    inbox_pages,
    import_pages,
    faq_pages,
    concept_pages,
    prerequisite_pages,
    analytics_pages,
    conversation_pages,
    settings_pages,
    people_pages,
    preview_pages,
    material_pages,
):
    router.include_router(pages, prefix="/{course}")
