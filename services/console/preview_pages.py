"""The preview in the console: ask as a student, and see why it is answered so."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from services.console.access import Visitor, field, read_form, visitors_of
from services.console.pages import page
from services.previewing import Preview, preview
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import InvalidInput


def preview_pages(platform: Platform) -> APIRouter:
    """The pages of the preview over one platform."""
    router = APIRouter()
    visitor = Depends(visitors_of(platform))

    @router.get("/preview")
    async def empty(request: Request, who: Visitor = visitor) -> Response:
        return show(request, who)

    @router.post("/preview")
    async def ask(request: Request, who: Visitor = visitor) -> Response:
        form = await read_form(request, who)
        question, hint = field(form, "question"), bool(field(form, "hint"))
        try:
            found = await preview(platform, who.course, question, hint=hint)
        except InvalidInput as fault:
            return show(request, who, question=question, hint=hint, fault=fault.message)
        return show(request, who, question=question, hint=hint, found=found)

    def show(
        request: Request,
        who: Visitor,
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
