"""The settings of a course in the console: thresholds, what students read and may do, and keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from services.console.access import Form, Visitor, field, read_form, visitors_of
from services.console.pages import page
from services.storage.course_settings import LONGEST_REFUSAL, CourseSettings
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.types import KeyId, Role

Edit = Callable[[CourseSettings], CourseSettings]


def settings_pages(platform: Platform) -> APIRouter:
    """The pages of settings over one platform."""
    router = APIRouter()
    visitor = Depends(visitors_of(platform))
    settings, keys = platform.stores.settings, platform.stores.keys

    @router.get("/settings")
    async def show_settings(request: Request, who: Visitor = visitor) -> Response:
        return await show(request, who)

    @router.post("/settings/thresholds")
    async def set_thresholds(request: Request, who: Visitor = visitor) -> Response:
        """Keep alpha and beta of the course; an empty field goes back to the platform's."""
        return await change(request, who, _thresholds)

    @router.post("/settings/students")
    async def set_students(request: Request, who: Visitor = visitor) -> Response:
        """Keep what students read where the course holds no answer, and whether they may ask for hints."""
        return await change(request, who, _students)

    @router.post("/settings/origins")
    async def set_origins(request: Request, who: Visitor = visitor) -> Response:
        """Keep the sites that may embed the sidebar, one a line."""
        return await change(request, who, _origins)

    @router.post("/settings/keys/make")
    async def make_key(request: Request, who: Visitor = visitor) -> Response:
        """Make an instructor's key, and show it this once."""
        await read_form(request, who)
        text, _ = await asyncio.to_thread(keys.make, who.course.id, Role.INSTRUCTOR)
        return await show(request, who, new_key=text)

    @router.post("/settings/keys/revoke")
    async def revoke(request: Request, who: Visitor = visitor) -> Response:
        """Refuse an instructor's key from now on; who logged in with it is logged out."""
        key = KeyId(field(await read_form(request, who), "key"))
        await asyncio.to_thread(keys.revoke, who.course.id, key, role=Role.INSTRUCTOR)
        return RedirectResponse(f"/console/{who.course.id}/settings", status_code=303)

    async def change(request: Request, who: Visitor, read: Callable[[Form], Edit]) -> Response:
        form = await read_form(request, who)
        try:
            await asyncio.to_thread(settings.change, who.course.id, read(form))
        except InvalidInput as fault:
            return await show(request, who, fault=fault.message, typed=form)
        return RedirectResponse(f"/console/{who.course.id}/settings?saved", status_code=303)

    async def show(
        request: Request, who: Visitor, *, fault: str = "", typed: Form | None = None, new_key: str = ""
    ) -> Response:
        found = await asyncio.to_thread(settings.settings, who.course.id)
        return page(
            request,
            "settings.html",
            who,
            status=422 if fault else 200,
            shipped=platform.settings.thresholds,
            settings=found,
            values=_values(found) | {name: field(typed or {}, name) for name in typed or {}},
            longest_refusal=LONGEST_REFUSAL,
            keys=await asyncio.to_thread(keys.keys, who.course.id),
            new_key=new_key,
            saved="saved" in request.query_params,
            fault=fault,
        )

    return router


def _values(settings: CourseSettings) -> dict[str, str]:
    """The texts of the fields."""
    return {
        "alpha": "" if settings.alpha is None else f"{settings.alpha:.4g}",
        "beta": "" if settings.beta is None else f"{settings.beta:.4g}",
        "refusal": settings.refusal or "",
        "origins": "\n".join(settings.origins),
    }


def _thresholds(form: Form) -> Edit:
    alpha, beta = (_number(field(form, name), name) for name in ("alpha", "beta"))
    return lambda found: replace(found, alpha=alpha, beta=beta)


def _students(form: Form) -> Edit:
    refusal, hints = field(form, "refusal"), bool(field(form, "hints"))
    return lambda found: replace(found, refusal=refusal, hints=hints)


def _origins(form: Form) -> Edit:
    lines = tuple(line.strip() for line in field(form, "origins").splitlines() if line.strip())
    return lambda found: replace(found, origins=lines)


def _number(text: str, name: str) -> float | None:
    """The number in a field; None for an empty one."""
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput(f"{name}: {text[:40]!r} is no number", field=name) from error
