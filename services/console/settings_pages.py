"""The settings of a course in the console: thresholds, what students read and may do, and keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.pages import page
from services.http.serving import Served
from services.identity.instructor_sessions import (
    Form,
    InstructorSession,
    LoggedIn,
    field,
    read_form,
)
from services.storage.course_settings import LARGEST, LONGEST_REFUSAL, CourseSettings, clean_settings
from services.use_cases.courses import Edit
from services.use_cases.replay import Replayed, replay_thresholds
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import KeyId

REPLAYED = 100
"""Real questions that are asked again with other thresholds."""

router = APIRouter()


@router.get("/settings")
async def show_settings(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show(platform, request, who)


@router.post("/settings/thresholds")
async def set_thresholds(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep the thresholds of the course, an empty field the platform's, or only say what would change."""
    form = await read_form(request, who)
    if field(form, "action") != "replay":
        return await _change(platform, request, who, _thresholds)
    try:
        found = await asyncio.to_thread(platform.stores.settings.settings, who.course.id)
        tried = clean_settings(_thresholds(form)(found))
    except InvalidInput as fault:
        return await _show(platform, request, who, fault=fault, typed=form)
    replayed = await asyncio.to_thread(replay_thresholds, platform, who.course.id, tried, limit=REPLAYED)
    return await _show(platform, request, who, typed=form, replayed=replayed)


@router.post("/settings/students")
async def set_students(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep what students read where the course holds no answer, and whether they may ask for hints."""
    return await _change(platform, request, who, _students)


@router.post("/settings/lending")
async def set_lending(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep whether the course shares its concepts, and takes those of others."""
    return await _change(platform, request, who, _lending)


@router.post("/settings/origins")
async def set_origins(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep the sites that may embed the sidebar, one a line."""
    return await _change(platform, request, who, _origins)


@router.post("/settings/webhook")
async def set_webhook(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Keep where the platform is told of answers; the first address brings a secret, shown this once."""
    saved = await _change(platform, request, who, _webhook)
    is_new = await asyncio.to_thread(platform.course_settings.needs_webhook_secret, who.course.id)
    return await _show_new_secret(platform, request, who) if saved.status_code == 303 and is_new else saved


@router.post("/settings/webhook/secret")
async def make_secret(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Sign with another secret from now on, shown this once."""
    await read_form(request, who)
    return await _show_new_secret(platform, request, who)


@router.post("/settings/webhook/test")
async def send_test(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Send a test now; what came of it stands first among the deliveries."""
    await read_form(request, who)
    try:
        await platform.courier.send_test(who.course.id)
    except InvalidInput as fault:
        return await _show(platform, request, who, fault=fault)
    return RedirectResponse(f"/console/{who.course.id}/settings#webhook", status_code=303)


@router.post("/settings/keys/make")
async def make_key(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Make an instructor's key, and show it this once."""
    await read_form(request, who)
    text, _ = await asyncio.to_thread(platform.course_settings.make_key, who.course.id)
    return await _show(platform, request, who, new_key=text)


@router.post("/settings/keys/revoke")
async def revoke(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Refuse an instructor's key from now on; who logged in with it is logged out."""
    key = KeyId(field(await read_form(request, who), "key"))
    await asyncio.to_thread(platform.course_settings.revoke_key, who.course.id, key)
    return RedirectResponse(f"/console/{who.course.id}/settings", status_code=303)


async def _show_new_secret(platform: Platform, request: Request, who: InstructorSession) -> Response:
    try:
        secret = await asyncio.to_thread(platform.course_settings.make_webhook_secret, who.course.id)
    except InvalidInput as fault:  # there is no address, so there is nothing to sign
        return await _show(platform, request, who, fault=fault)
    return await _show(platform, request, who, shown_secret=secret)


async def _change(
    platform: Platform, request: Request, who: InstructorSession, read: Callable[[Form], Edit]
) -> Response:
    form = await read_form(request, who)
    try:
        await asyncio.to_thread(platform.course_settings.change, who.course.id, read(form))
    except InvalidInput as fault:
        return await _show(platform, request, who, fault=fault, typed=form)
    return RedirectResponse(f"/console/{who.course.id}/settings?saved", status_code=303)


async def _show(
    platform: Platform,
    request: Request,
    who: InstructorSession,
    *,
    fault: InvalidInput | None = None,
    typed: Form | None = None,
    new_key: str = "",
    shown_secret: str = "",
    replayed: tuple[Replayed, ...] | None = None,
) -> Response:
    found = await asyncio.to_thread(platform.stores.settings.settings, who.course.id)
    return page(
        request,
        "settings.html",
        who,
        status=422 if fault else 200,
        shipped=platform.settings.thresholds,
        settings=found,
        values=_values(found) | {name: field(typed or {}, name) for name in typed or {}},
        longest_refusal=LONGEST_REFUSAL,
        keys=await asyncio.to_thread(platform.stores.keys.keys, who.course.id),
        new_key=new_key,
        shown_secret=shown_secret,
        waiting=await asyncio.to_thread(platform.stores.webhooks.waiting, who.course.id),
        deliveries=await asyncio.to_thread(platform.stores.webhooks.deliveries, who.course.id),
        saved="saved" in request.query_params,
        replayed=replayed,
        fault=fault.fault if fault else None,
        wrong=(fault.field or "") if fault else "",
    )


def _values(settings: CourseSettings) -> dict[str, str]:
    """The texts of the fields."""
    own = {name: getattr(settings, name) for name in LARGEST}
    return {name: "" if value is None else f"{value:.4g}" for name, value in own.items()} | {
        "refusal": settings.refusal or "",
        "origins": "\n".join(settings.origins),
        "webhook_url": settings.webhook_url or "",
    }


def _thresholds(form: Form) -> Edit:
    given: dict[str, Any] = {name: _number(field(form, name), name) for name in LARGEST}
    return lambda found: replace(found, **given)


def _students(form: Form) -> Edit:
    refusal, hints = field(form, "refusal"), bool(field(form, "hints"))
    return lambda found: replace(found, refusal=refusal, hints=hints)


def _lending(form: Form) -> Edit:
    shares, takes = (bool(field(form, name)) for name in ("shares_concepts", "takes_concepts"))
    return lambda found: replace(found, shares_concepts=shares, takes_concepts=takes)


def _origins(form: Form) -> Edit:
    lines = tuple(line.strip() for line in field(form, "origins").splitlines() if line.strip())
    return lambda found: replace(found, origins=lines)


def _webhook(form: Form) -> Edit:
    url = field(form, "webhook_url").strip()
    return lambda found: replace(found, webhook_url=url)


def _number(text: str, name: str) -> float | None:
    """The number in a field; None for an empty one."""
    try:
        return float(text) if text.strip() else None
    except ValueError as error:
        raise InvalidInput(Fault("console.no_number", name=name, text=text[:40]), field=name) from error
