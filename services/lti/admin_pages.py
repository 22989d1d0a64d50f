"""The admin page: registrations, mappings and shared courses, for the bearer of the admin key."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from knowledge.search.http_client import HttpClient
from services.http.callers import address_of, check_origin
from services.http.problems import ProblemRaised, forbidden
from services.http.serving import ThreadedRouter, limits_of_app, public_address
from services.identity.course_keys import is_admin_key
from services.identity.instructor_sessions import Form, field, parse_own_form
from services.lti.pages import page, spoken_language
from services.lti.platform_keys import check_platform
from services.lti.registration import ADDRESSES, NAMES_SCOPE, SCORE_SCOPE, Label, add_platform, edit_platform
from services.storage.lti_platforms import LtiContext, PlatformId
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.texts import read_texts
from vta.types import CourseId

ADMIN_TEXTS = read_texts("services.lti", "admin_texts.toml")
MOST_QUESTIONS = 1000


def add(platform: Platform, form: Form, label: Label) -> None:
    """Register a platform by hand."""
    deployments = [field(form, "deployment").strip()]
    add_platform(platform, _given(form), origins=_origins(form), deployments=deployments, label=label)


def edit(platform: Platform, form: Form, label: Label) -> None:
    """Correct a registration; a deployment that is named is let in too."""
    platform_id = PlatformId(field(form, "platform"))
    edit_platform(platform, platform_id, _given(form), origins=_origins(form), label=label)
    if deployment := field(form, "deployment").strip():
        platform.stores.lti_platforms.add_deployment(platform_id, deployment)


def remove(platform: Platform, form: Form, label: Label) -> None:
    """Forget a platform."""
    platform.stores.lti_platforms.remove(PlatformId(field(form, "platform")))


def map_context(platform: Platform, form: Form, label: Label) -> None:
    """Say which course of ours a course of a platform is."""
    context = _context(form)
    if not context.context_id:
        raise InvalidInput(Fault("lti.no_context"))
    platform.stores.lti_platforms.map(context, CourseId(field(form, "course")))


def unmap(platform: Platform, form: Form, label: Label) -> None:
    """Say that it is none any more."""
    platform.stores.lti_platforms.unmap(_context(form))


def agree(platform: Platform, form: Form, label: Label) -> None:
    """Switch names and scores of a mapped course on or off."""
    text = field(form, "score_after").strip() or "0"
    if not text.isascii() or not text.isdecimal() or int(text) > MOST_QUESTIONS:
        raise InvalidInput(Fault("lti.score_after", most=MOST_QUESTIONS))
    names = field(form, "names") == "on"
    platform.stores.lti_services.agree(_context(form), names=names, score_after=int(text) or None)


def share(platform: Platform, form: Form, label: Label) -> None:
    """Let a platform's links lead to a course."""
    platform.stores.lti_shared_courses.share(
        PlatformId(field(form, "platform")), CourseId(field(form, "course"))
    )


def unshare(platform: Platform, form: Form, label: Label) -> None:
    """Let them no more."""
    platform.stores.lti_shared_courses.unshare(
        PlatformId(field(form, "platform")), CourseId(field(form, "course"))
    )


ACTIONS: Mapping[str, Callable[[Platform, Form, Label], None]] = {
    "add": add,
    "edit": edit,
    "remove": remove,
    "map": map_context,
    "unmap": unmap,
    "services": agree,
    "share": share,
    "unshare": unshare,
}


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


COOKIE = "vta_lti_admin"
_SECRET = "LTI admin page"  # noqa: S105  # its name
LASTS_S = 3600


class AdminNeeded(Exception):
    """Nobody is logged in with the admin key: the page is behind the log-in."""


class AdminSessions:
    """Sessions that need no rows: an end, and a keyed digest of it that another admin key undoes.

    A log-out undoes it too, for everybody who is logged in by the one admin key.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    def key_is(self, given: str) -> bool:
        """Whether a text is the admin key; never where none is set."""
        return is_admin_key(self._platform.settings.admin_key, given)

    def open(self, request: Request, response: Response) -> None:
        """Give the browser the cookie of a new session, for this page alone and out of reach of scripts."""
        end = str(int(time.time()) + LASTS_S)
        response.set_cookie(
            COOKIE,
            f"{end}.{self._sign(end)}",
            max_age=LASTS_S,
            path="/lti/admin",
            httponly=True,
            secure=request.url.scheme == "https",
            samesite="strict",
        )

    def close(self, request: Request) -> None:
        """End all sessions, where the request is of an open one."""
        if self.is_open(request):
            self._platform.stores.secrets.forget(_SECRET)

    def csrf(self, request: Request) -> str:
        """The token of the forms of the request's session."""
        return self._sign("csrf:" + request.cookies.get(COOKIE, ""))

    def is_open(self, request: Request) -> bool:
        """Whether the request brings the cookie of a session that has not ended."""
        end, _, signed = request.cookies.get(COOKIE, "").partition(".")
        if not end.isdecimal() or not end.isascii() or int(end) <= time.time():
            return False
        return hmac.compare_digest(signed.encode(), self._sign(end).encode())

    async def admit(self, request: Request) -> None:
        """A dependency that lets in who is logged in with the admin key; else `AdminNeeded`."""
        if not await asyncio.to_thread(self.is_open, request):
            raise AdminNeeded

    async def read_form(self, request: Request) -> Form:
        """A dependency: the form of a write. 403 unless it comes from this site with the session's token."""
        form = await parse_own_form(request)
        token = await asyncio.to_thread(self.csrf, request)
        if not hmac.compare_digest(field(form, "csrf").encode(), token.encode()):
            raise forbidden(Fault("console.form_expired"))
        return form

    def _sign(self, text: str) -> str:
        key = self._platform.settings.admin_key
        if key is None:
            raise AdminNeeded
        secret = self._platform.stores.secrets.secret(_SECRET)
        bound = hashlib.sha256(key.get_secret_value().encode()).hexdigest()
        return hmac.digest(secret, f"{bound}:{text}".encode(), "sha256").hex()


def admin_routes(platform: Platform, outgoing: HttpClient) -> APIRouter:
    """The router of the page over one platform; every page works without scripts."""
    sessions = AdminSessions(platform)
    router = ThreadedRouter(prefix="/admin")
    admin, posted = [Depends(sessions.admit)], Depends(sessions.read_form)

    @router.get("/log-in")
    def log_in_page(request: Request) -> Response:
        return _log_in_page(platform, request)

    @router.post("/log-in")
    async def log_in(request: Request) -> Response:
        """429 where too many log-ins by the admin key failed in the last minute."""
        spoken = spoken_language(request, None)
        key = field(await parse_own_form(request), "key").strip()
        try:
            succeeded = await limits_of_app(request).admit_log_in(address_of(request.scope), "VTA_ADMIN_KEY")
        except ProblemRaised as refused:
            return _log_in_page(platform, request, status=429, fault=refused.fault.text(spoken))
        if not sessions.key_is(key):
            return _log_in_page(platform, request, status=403, fault=ADMIN_TEXTS[spoken]["wrong_key"])
        await succeeded()
        response = RedirectResponse("/lti/admin", status_code=303)
        await asyncio.to_thread(sessions.open, request, response)
        return response

    @router.post("/log-out")
    def log_out(request: Request) -> Response:
        check_origin(request)
        sessions.close(request)
        response = RedirectResponse("/lti/admin/log-in", status_code=303)
        response.delete_cookie(COOKIE, path="/lti/admin")
        return response

    def show(request: Request, **told: Any) -> Response:
        status = 422 if told.get("fault") else 200
        more = {"fault": "", "done": "", "link": "", **told, **_shown(platform)}
        texts, csrf = ADMIN_TEXTS[spoken_language(request, None)], sessions.csrf(request)
        return page(request, "admin.html", frames=(), status=status, a=texts, csrf=csrf, **more)

    @router.get("", dependencies=admin)
    def registrations(request: Request) -> Response:
        return show(request)

    @router.post("/invite", dependencies=admin)
    def invite(request: Request, form: Form = posted) -> Response:
        root = public_address(platform, request)
        asked = (("names", NAMES_SCOPE), ("scores", SCORE_SCOPE))
        scopes = [scope for name, scope in asked if field(form, name) == "on"]
        text = platform.stores.lti_invitations.make(scopes)
        return show(request, link=f"{root}/lti/register?invite={text}")

    @router.post("/check", dependencies=admin)
    async def check(request: Request, form: Form = posted) -> Response:
        platforms, known_id = platform.stores.lti_platforms, PlatformId(field(form, "platform"))
        spoken = spoken_language(request, None)
        try:
            known = await asyncio.to_thread(platforms.platform, known_id)
            keys = await check_platform(known, outgoing)
        except VtaError as error:
            return await asyncio.to_thread(show, request, fault=error.fault.text(spoken))
        done = f"{known.issuer}: {ADMIN_TEXTS[spoken]['keys_found']} {keys}"
        return await asyncio.to_thread(show, request, done=done)

    @router.post("/do/{action}", dependencies=admin)
    def act(request: Request, action: str, form: Form = posted) -> Response:
        if action not in ACTIONS:
            raise NotFound(Fault("lti.no_static_file", name=action))
        spoken = spoken_language(request, None)
        texts = ADMIN_TEXTS[spoken]
        try:
            ACTIONS[action](platform, form, lambda name: texts.get(name, name))
        except VtaError as error:
            return show(request, fault=error.fault.text(spoken))
        return show(request, done=texts["done"])

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
