"""The routes of the console: language, static files, and the pages of each part."""

from __future__ import annotations

from pathlib import PurePosixPath

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.account_pages import router as account_pages
from services.console.analytics_pages import router as analytics_pages
from services.console.answer_pages import router as answer_pages
from services.console.concept_list import router as concept_list
from services.console.conversation_pages import router as conversation_pages
from services.console.course_pages import router as course_pages
from services.console.faq_lists import router as faq_lists
from services.console.faq_pages import router as faq_pages
from services.console.graph_pages import router as graph_pages
from services.console.import_pages import router as import_pages
from services.console.inbox_pages import router as inbox_pages
from services.console.invitation_pages import router as invitation_pages
from services.console.log_in_pages import router as log_in_pages
from services.console.material_pages import router as material_pages
from services.console.notice_pages import router as notice_pages
from services.console.pages import LANGUAGE_COOKIE, static_files
from services.console.passage_pages import router as passage_pages
from services.console.people_pages import router as people_pages
from services.console.prerequisite_pages import router as prerequisite_pages
from services.console.preview_pages import router as preview_pages
from services.console.proposal_pages import router as proposal_pages
from services.console.school_pages import router as school_pages
from services.console.seed_pages import router as seed_pages
from services.console.settings_pages import router as settings_pages
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
    content = static_files().get(name)
    if content is None or kind is None:
        raise NotFound(Fault("console.no_static_file", name=name))
    return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})


for pages in (log_in_pages, account_pages, invitation_pages, school_pages):
    router.include_router(pages)
for pages in (
    inbox_pages,
    answer_pages,
    import_pages,
    faq_lists,
    faq_pages,
    concept_list,
    graph_pages,
    prerequisite_pages,
    seed_pages,
    proposal_pages,
    analytics_pages,
    conversation_pages,
    settings_pages,
    notice_pages,
    course_pages,
    people_pages,
    preview_pages,
    material_pages,
    passage_pages,
):
    router.include_router(pages, prefix="/{course}")
