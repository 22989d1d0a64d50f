"""The admin page: registrations, mappings and shared courses, for the bearer of the admin key."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from services.http.callers import address_of
from services.http.problems import ProblemRaised
from services.http.serving import limits_of_app, public_address
from services.identity.instructor_sessions import Form, field, parse_form
from services.identity.origin import check_origin
from services.lti.admin_session import COOKIE, AdminNeeded, AdminSessions, lti_admins_of
from services.lti.checking import check_platform
from services.lti.outgoing import Outgoing
from services.lti.pages import page, spoken_language
from services.lti.registration import NAMES_SCOPE, SCORE_SCOPE
from services.lti.registrations import ADDRESSES, Label, add_platform, edit_platform
from services.storage.lti_platforms import LtiContext, PlatformId
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.texts import read_texts
from vta.types import CourseId

ADMIN_TEXTS = read_texts("services.lti", "admin_texts.toml")
MOST_QUESTIONS = 1000
ACTIONS = ("add", "edit", "remove", "map", "unmap", "services", "share", "unshare")
"""What the buttons of the page do."""


def admin_routes(platform: Platform, outgoing: Outgoing) -> APIRouter:
    """The router of the page over one platform; every page works without scripts."""
    sessions = AdminSessions(platform)
    router = APIRouter(prefix="/admin")
    admin = [Depends(lti_admins_of(sessions))]

    @router.get("/log-in")
    async def log_in_page(request: Request) -> Response:
        return _log_in_page(platform, request)

    @router.post("/log-in")
    async def log_in(request: Request) -> Response:
        """429 where too many log-ins by the admin key failed in the last minute."""
        check_origin(request)
        spoken = spoken_language(request, None)
        key = field(await parse_form(request), "key").strip()
        try:
            succeeded = await limits_of_app(request).admit_log_in(address_of(request.scope), "VTA_ADMIN_KEY")
        except ProblemRaised as refused:
            return _log_in_page(platform, request, status=429, fault=refused.fault.text(spoken))
        if not sessions.key_is(key):
            return _log_in_page(platform, request, status=403, fault=ADMIN_TEXTS[spoken]["wrong_key"])
        await succeeded()
        response = RedirectResponse("/lti/admin", status_code=303)
        await sessions.open(request, response)
        return response

    @router.post("/log-out")
    async def log_out(request: Request) -> Response:
        check_origin(request)
        await sessions.close(request)
        response = RedirectResponse("/lti/admin/log-in", status_code=303)
        response.delete_cookie(COOKIE, path="/lti/admin")
        return response

    async def show(request: Request, **told: Any) -> Response:
        shown = await asyncio.to_thread(_shown, platform)
        spoken = spoken_language(request, None)
        status = 422 if told.get("fault") else 200
        more = {"fault": "", "done": "", "link": "", **told, **shown}
        csrf = await sessions.csrf(request)
        return page(request, "admin.html", frames=(), status=status, a=ADMIN_TEXTS[spoken], csrf=csrf, **more)

    @router.get("", dependencies=admin)
    async def registrations(request: Request) -> Response:
        return await show(request)

    @router.post("/invite", dependencies=admin)
    async def invite(request: Request) -> Response:
        form, root = await sessions.read_form(request), public_address(platform, request)
        asked = (("names", NAMES_SCOPE), ("scores", SCORE_SCOPE))
        scopes = [scope for name, scope in asked if field(form, name) == "on"]
        text = await asyncio.to_thread(platform.stores.lti_invitations.make, scopes)
        return await show(request, link=f"{root}/lti/register?invite={text}")

    @router.post("/check", dependencies=admin)
    async def check(request: Request) -> Response:
        form, texts = await sessions.read_form(request), ADMIN_TEXTS[spoken_language(request, None)]
        try:
            known = await asyncio.to_thread(
                platform.stores.lti_platforms.platform, PlatformId(field(form, "platform"))
            )
            keys = await check_platform(known, outgoing)
        except VtaError as error:
            return await show(request, fault=error.fault.text(spoken_language(request, None)))
        return await show(request, done=f"{known.issuer}: {texts['keys_found']} {keys}")

    @router.post("/do/{action}", dependencies=admin)
    async def act(request: Request, action: str) -> Response:
        form = await sessions.read_form(request)
        if action not in ACTIONS:
            raise NotFound(Fault("lti.no_static_file", name=action))
        spoken = spoken_language(request, None)
        texts = ADMIN_TEXTS[spoken]
        try:
            await asyncio.to_thread(_carry_out, platform, action, form, lambda name: texts.get(name, name))
        except VtaError as error:
            return await show(request, fault=error.fault.text(spoken))
        return await show(request, done=texts["done"])

    return router


def install_admin_log_in(app: FastAPI) -> None:
    """Lead whoever is not logged in to the log-in of the admin page."""

    @app.exception_handler(AdminNeeded)
    async def on_needed(request: Request, needed: AdminNeeded) -> Response:
        return RedirectResponse("/lti/admin/log-in", status_code=303)


def _log_in_page(platform: Platform, request: Request, *, status: int = 200, fault: str = "") -> Response:
    return page(
        request,
        "admin_log_in.html",
        frames=(),
        status=status,
        a=ADMIN_TEXTS[spoken_language(request, None)],
        has_key=platform.settings.admin_key is not None,
        fault=fault,
    )


def _shown(platform: Platform) -> dict[str, Any]:
    """Platforms with the courses they share, mappings with what they agreed to, and our courses."""
    stores = platform.stores
    platforms = stores.lti_platforms.platforms()
    return {
        "platforms": [(known, stores.lti_shared_courses.shared(known.id)) for known in platforms],
        "issuers": {known.id: known.issuer for known in platforms},
        "mapped": [(each, stores.lti_services.of(each.context)) for each in stores.lti_platforms.contexts()],
        "courses": stores.courses.courses(),
        "waiting": stores.lti_invitations.waiting(),
    }


def _carry_out(platform: Platform, action: str, form: Form, label: Label) -> None:
    """Do what a button of the page says, by its name."""
    stores = platform.stores
    platform_id, course = PlatformId(field(form, "platform")), CourseId(field(form, "course"))
    match action:
        case "add":
            deployments = [field(form, "deployment").strip()]
            add_platform(platform, _given(form), origins=_origins(form), deployments=deployments, label=label)
        case "edit":
            edit_platform(platform, platform_id, _given(form), origins=_origins(form), label=label)
            if deployment := field(form, "deployment").strip():
                stores.lti_platforms.add_deployment(platform_id, deployment)
        case "remove":
            stores.lti_platforms.remove(platform_id)
        case "map":
            stores.lti_platforms.map(_named_context(form), course)
        case "unmap":
            stores.lti_platforms.unmap(_context(form))
        case "services":
            names, score_after = field(form, "names") == "on", _score_after(form)
            stores.lti_services.agree(_context(form), names=names, score_after=score_after)
        case "share":
            stores.lti_shared_courses.share(platform_id, course)
        case "unshare":
            stores.lti_shared_courses.unshare(platform_id, course)
        case _:
            raise AssertionError(f"{action!r} is no button")


def _score_after(form: Form) -> int | None:
    """After how many questions a student of a mapped course gets the score; None for never."""
    text = field(form, "score_after").strip() or "0"
    if not text.isascii() or not text.isdecimal() or int(text) > MOST_QUESTIONS:
        raise InvalidInput(Fault("lti.score_after", most=MOST_QUESTIONS))
    return int(text) or None


def _named_context(form: Form) -> LtiContext:
    context = _context(form)
    if not context.context_id:
        raise InvalidInput(Fault("lti.no_context"))
    return context


def _given(form: Form) -> dict[str, str]:
    return {name: field(form, name).strip() for name in ("issuer", "client_id", *ADDRESSES)}


def _origins(form: Form) -> list[str]:
    return field(form, "origin").split()


def _context(form: Form) -> LtiContext:
    platform_id, _, deployment = field(form, "deployment").partition(" ")
    return LtiContext(
        platform_id=PlatformId(platform_id),
        deployment_id=deployment,
        context_id=field(form, "context").strip(),
    )
