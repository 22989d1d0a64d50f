"""Who is told of new questions, by e-mail or through the platform."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.forms import number_in
from services.console.pages import page
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.storage.notices import MOST_RECIPIENTS, Notices, Pace
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.faults import Fault

router = APIRouter()


@router.get("/settings/notices")
async def show_notices(request: Request, platform: Served, who: LoggedIn) -> Response:
    """What is set, and whether e-mail can go out at all."""
    found = await asyncio.to_thread(platform.stores.notices.notices, who.course.id)
    return await _show(platform, request, who, found, "\n".join(found.recipients))


@router.post("/settings/notices")
async def set_notices(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep who is told from now on."""
    form = await read_form(request, who)
    try:
        await asyncio.to_thread(platform.stores.notices.keep, who.course.id, _read(form))
    except InvalidInput as error:
        found = await asyncio.to_thread(platform.stores.notices.notices, who.course.id)
        return await _show(platform, request, who, found, field(form, "recipients"), fault=error.fault)
    return RedirectResponse(f"/console/{who.course.id}/settings/notices?saved", status_code=303)


async def _show(
    platform: Platform,
    request: Request,
    who: InstructorSession,
    found: Notices,
    recipients: str,
    *,
    fault: Fault | None = None,
) -> Response:
    settings = await asyncio.to_thread(platform.stores.settings.settings, who.course.id)
    return page(
        request,
        "notices.html",
        who,
        status=422 if fault else 200,
        notices=found,
        recipients=recipients,
        most=MOST_RECIPIENTS,
        paces=tuple(Pace),
        can_send=platform.postman.can_send,
        has_webhook=settings.webhook_url is not None,
        saved="saved" in request.query_params,
        fault=fault,
    )


def _read(form: Form) -> Notices:
    pace = field(form, "pace")
    return Notices(
        recipients=tuple(field(form, "recipients").replace(",", "\n").split("\n")),
        pace=Pace(pace) if pace in set(Pace) else Pace.DAILY,
        hour=number_in(form, "hour"),
        tells_platform=bool(field(form, "tells_platform")),
    )
