"""The preview in the console: ask as a student, and see why it is answered so."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from services.console.pages import page
from services.identity.instructor_sessions import InstructorSession, field, instructor_sessions_of, read_form
from services.use_cases.preview import Preview, preview
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import InvalidInput


def preview_pages(platform: Platform) -> APIRouter:
    """The pages of the preview over one platform."""
    router = APIRouter()
    instructor = Depends(instructor_sessions_of(platform))

    @router.get("/preview")
    async def empty(request: Request, who: InstructorSession = instructor) -> Response:
        return show(request, who)

    @router.post("/preview")
    async def ask(request: Request, who: InstructorSession = instructor) -> Response:
        form = await read_form(request, who)
        question, hint = field(form, "question"), bool(field(form, "hint"))
        try:
            found = await preview(platform, who.course, question, hint=hint)
        except InvalidInput as fault:
            return show(request, who, question=question, hint=hint, fault=fault.message)
        return show(request, who, question=question, hint=hint, found=found)

    def show(
        request: Request,
        who: InstructorSession,
        *,
        question: str = "",
        hint: bool = False,
        found: Preview | None = None,
        fault: str = "",
    ) -> Response:
        return page(
            request,
            "preview.html",
            who,
            status=422 if fault else 200,
            question=question,
            hint=hint,
            found=found,
            thresholds=thresholds_for(who.course, platform.settings.thresholds),
            fault=fault,
        )

    return router
