"""The preview in the console: ask as a student, and see why it is answered so."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response

from services.console.pages import page
from services.http.serving import Served
from services.identity.instructor_sessions import InstructorSession, LoggedIn, field, read_form
from services.use_cases.preview import Preview, preview
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import InvalidInput
from vta.faults import Fault

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What was typed, and what came of it."""

    question: str = ""
    hint: bool = False
    found: Preview | None = None
    fault: Fault | None = None


@router.get("/preview")
async def empty(request: Request, platform: Served, who: LoggedIn) -> Response:
    """An empty form."""
    return _show(request, platform, who, _Asked())


@router.post("/preview")
async def ask(request: Request, platform: Served, who: LoggedIn) -> Response:
    """The answer, with everything that led to it; nothing of it is kept."""
    form = await read_form(request, who)
    question, hint = field(form, "question"), bool(field(form, "hint"))
    try:
        found = await preview(platform, who.course, question, hint=hint)
    except InvalidInput as fault:
        return _show(request, platform, who, _Asked(question=question, hint=hint, fault=fault.fault))
    return _show(request, platform, who, _Asked(question=question, hint=hint, found=found))


def _show(request: Request, platform: Platform, who: InstructorSession, asked: _Asked) -> Response:
    return page(
        request,
        "preview.html",
        who,
        status=422 if asked.fault else 200,
        question=asked.question,
        hint=asked.hint,
        found=asked.found,
        thresholds=thresholds_for(who.course, platform.settings.thresholds),
        fault=asked.fault,
    )
