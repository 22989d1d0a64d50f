"""The settings of a course in the console: its thresholds and its keys."""

from __future__ import annotations

import asyncio
import math

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from services.console.access import Visitor, field, read_form, visitors_of
from services.console.pages import page
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.types import KeyId

LARGEST_BETA = 100.0


def settings_pages(platform: Platform) -> APIRouter:
    """The pages of settings over one platform."""
    router = APIRouter()
    visitor = Depends(visitors_of(platform))
    courses, keys = platform.stores.courses, platform.stores.keys

    @router.get("/settings")
    async def show_settings(request: Request, who: Visitor = visitor) -> Response:
        return await show(request, who)

    @router.post("/settings/thresholds")
    async def set_thresholds(request: Request, who: Visitor = visitor) -> Response:
        """Keep alpha and beta of the course; an empty field goes back to the platform's."""
        form = await read_form(request, who)
        try:
            alpha = _threshold(field(form, "alpha"), "alpha", 1.0)
            beta = _threshold(field(form, "beta"), "beta", LARGEST_BETA)
        except InvalidInput as fault:
            return await show(request, who, fault=fault.message)
        await asyncio.to_thread(courses.calibrate, who.course.id, alpha=alpha, beta=beta)
        return RedirectResponse(f"/console/{who.course.id}/settings?saved", status_code=303)

    @router.post("/settings/keys/revoke")
    async def revoke(request: Request, who: Visitor = visitor) -> Response:
        """Refuse a key from now on; who logged in with it is logged out."""
        key = field(await read_form(request, who), "key")
        await asyncio.to_thread(keys.revoke, who.course.id, KeyId(key))
        return RedirectResponse(f"/console/{who.course.id}/settings", status_code=303)

    async def show(request: Request, who: Visitor, fault: str = "") -> Response:
        return page(
            request,
            "settings.html",
            who,
            status=422 if fault else 200,
            shipped=platform.settings.thresholds,
            keys=await asyncio.to_thread(keys.keys, who.course.id),
            saved="saved" in request.query_params,
            fault=fault,
        )

    return router


def _threshold(text: str, name: str, largest: float) -> float | None:
    """A number from 0 to the largest; None for an empty text."""
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise InvalidInput(f"{name}: {text[:40]!r} is no number", field=name) from error
    if not (math.isfinite(value) and 0 <= value <= largest):
        raise InvalidInput(f"{name}: must be from 0 to {largest:g}", field=name)
    return value
