"""The admin page: registrations, mappings and shared courses, for the bearer of the admin key. No scripts."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from services.lti.pages import page
from services.lti.platform_keys import check_platform
from services.lti.platform_store import LtiContext
from services.lti.registration import ADDRESSES, Label, add_platform, edit_platform
from services.lti.tool import ThisTool
from services.people.course_keys import ADMIN, is_admin_key
from services.people.sessions import Form, OwnForm, field
from services.store.audit_log import NOBODY, Event, act_as
from services.web.callers import address_of, check_origin
from services.web.problems import ProblemRaised, forbidden
from services.web.serving import Limits, Served, ThreadedRouter, browser_language, public_address
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.texts import read_texts
from vta.types.courses import CourseId, PlatformId

ADMIN_TEXTS = read_texts("services.lti", "admin_texts.toml")


def _change(platform: Platform, action: str, form: Form, label: Label) -> None:
    """Carry out a form of the page.

    Raises `InvalidInput`, `Conflict` or `NotFound`.
    """
    platforms, shared = platform.stores.lti_platforms, platform.stores.lti_shared_courses
    platform_id, course_id = PlatformId(field(form, "platform")), CourseId(field(form, "course"))
    given = {name: field(form, name).strip() for name in ("issuer", "client_id", *ADDRESSES)}
    origins, deployment = field(form, "origin").split(), field(form, "deployment").strip()
    match action:
        case "add":
            add_platform(platform, given, origins=origins, deployments=[deployment], label=label)
        case "edit":
            edit_platform(platform, platform_id, given, origins=origins, label=label)
            if deployment:
                platforms.add_deployment(platform_id, deployment)
        case "remove":
            platforms.remove(platform_id)
        case "map":
            platforms.map(_context(form), course_id)
        case "unmap":
            platforms.unmap(_context(form))
        case "share":
            shared.share(platform_id, course_id)
        case "unshare":
            shared.unshare(platform_id, course_id)
        case _:
            raise NotFound(Fault("lti.no_static_file", name=action))


def _context(form: Form) -> LtiContext:
    platform_id, _, deployment = field(form, "deployment").partition(" ")
    context_id = field(form, "context").strip()
    if not context_id:
        raise InvalidInput(Fault("lti.no_context"))
    return LtiContext(platform_id=PlatformId(platform_id), deployment_id=deployment, context_id=context_id)


COOKIE = "vta_lti_admin"
_SECRET = "LTI admin page"  # noqa: S105  # its name
LASTS_S = 3600


class AdminNeeded(Exception):
    """No session of the admin key is open."""


@dataclass(frozen=True, slots=True)
class AdminSessions:
    """Sessions without rows: the cookie is an expiry time, signed with the store's secret and the admin key.

    Another admin key ends all of them, as does a log-out, which deletes the secret.
    """

    platform: Platform

    def open(self, request: Request, response: Response) -> None:
        """Set the cookie of a new session, for this page alone and out of reach of scripts."""
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
        """End all sessions, if the request has an open one."""
        if self.is_open(request):
            self.platform.stores.secrets.forget(_SECRET)

    def csrf(self, request: Request) -> str:
        """The token of the forms in the request's session."""
        return self._sign("csrf:" + request.cookies.get(COOKIE, ""))

    def is_open(self, request: Request) -> bool:
        """True if the request has the cookie of a session that has not expired."""
        end, _, signed = request.cookies.get(COOKIE, "").partition(".")
        if not end.isdecimal() or not end.isascii() or int(end) <= time.time():
            return False
        return hmac.compare_digest(signed.encode(), self._sign(end).encode())

    def _sign(self, text: str) -> str:
        key = self.platform.settings.admin_key
        if key is None:
            raise AdminNeeded
        secret = self.platform.stores.secrets.secret(_SECRET)
        bound = hashlib.sha256(key.get_secret_value().encode()).hexdigest()
        return hmac.digest(secret, f"{bound}:{text}".encode(), "sha256").hex()


async def admit_admin(request: Request, platform: Served) -> None:
    """A dependency: `AdminNeeded` without an open session of the admin key."""
    if not await asyncio.to_thread(AdminSessions(platform).is_open, request):
        raise AdminNeeded
    act_as(ADMIN)


async def read_admin_form(request: Request, form: OwnForm, platform: Served) -> Form:
    """A dependency: the form of a write. 403 from another site or without the session's token."""
    token = await asyncio.to_thread(AdminSessions(platform).csrf, request)
    if not hmac.compare_digest(field(form, "csrf").encode(), token.encode()):
        raise forbidden(Fault("console.form_expired"))
    return form


Posted = Annotated[Form, Depends(read_admin_form)]
_ADMIN = [Depends(admit_admin)]
router = ThreadedRouter(prefix="/lti/admin", include_in_schema=False)


@router.get("/log-in")
def log_in_page(request: Request, platform: Served) -> Response:
    return _log_in_page(platform, request)


@router.post("/log-in")
async def log_in(request: Request, form: OwnForm, platform: Served, limits: Limits) -> Response:
    """429 where too many log-ins by the admin key failed in the last minute."""
    spoken = browser_language(request)
    key = field(form, "key").strip()
    try:
        succeeded = await limits.admit_log_in(address_of(request.scope), "VTA_ADMIN_KEY")
    except ProblemRaised as refused:
        return _log_in_page(platform, request, status=429, fault=refused.fault.text(spoken))
    if not is_admin_key(platform.settings, key):
        act_as(NOBODY)
        await asyncio.to_thread(platform.people.note_refused)
        return _log_in_page(platform, request, status=403, fault=ADMIN_TEXTS[spoken]["wrong_key"])
    await succeeded()
    await asyncio.to_thread(partial(platform.stores.audit_log.note, Event.LOG_IN, actor=ADMIN))
    response = RedirectResponse("/lti/admin", status_code=303)
    await asyncio.to_thread(AdminSessions(platform).open, request, response)
    return response


@router.post("/log-out")
def log_out(request: Request, platform: Served) -> Response:
    check_origin(request)
    AdminSessions(platform).close(request)
    response = RedirectResponse("/lti/admin/log-in", status_code=303)
    response.delete_cookie(COOKIE, path="/lti/admin")
    return response


@router.get("", dependencies=_ADMIN)
def registrations(request: Request, platform: Served) -> Response:
    return _show(platform, request)


@router.post("/invite", dependencies=_ADMIN)
def invite(request: Request, form: Posted, platform: Served) -> Response:
    root = public_address(platform, request)
    text = platform.stores.lti_invitations.make()
    return _show(platform, request, link=f"{root}/lti/register?invite={text}")


@router.post("/check", dependencies=_ADMIN)
async def check(request: Request, form: Posted, tool: ThisTool) -> Response:
    platforms, known_id = tool.platform.stores.lti_platforms, PlatformId(field(form, "platform"))
    spoken = browser_language(request)
    try:
        known = await asyncio.to_thread(platforms.platform, known_id)
        keys = await check_platform(known, tool.outgoing)
    except VtaError as error:
        return await asyncio.to_thread(_show, tool.platform, request, fault=error.fault.text(spoken))
    done = f"{known.issuer}: {ADMIN_TEXTS[spoken]['keys_found']} {keys}"
    return await asyncio.to_thread(_show, tool.platform, request, done=done)


@router.post("/do/{action}", dependencies=_ADMIN)
def act(request: Request, action: str, form: Posted, platform: Served) -> Response:
    spoken = browser_language(request)
    texts = ADMIN_TEXTS[spoken]
    try:
        _change(platform, action, form, lambda name: texts.get(name, name))
    except VtaError as error:
        return _show(platform, request, fault=error.fault.text(spoken))
    return _show(platform, request, done=texts["done"])


def install_admin_log_in(app: FastAPI) -> None:
    """Redirect to the log-in of the admin page where none is open."""

    @app.exception_handler(AdminNeeded)
    async def on_needed(request: Request, needed: AdminNeeded) -> Response:
        return RedirectResponse("/lti/admin/log-in", status_code=303)


def _log_in_page(platform: Platform, request: Request, *, status: int = 200, fault: str = "") -> Response:
    return page(
        request,
        "admin_log_in.html",
        frames=(),
        status=status,
        a=ADMIN_TEXTS[browser_language(request)],
        has_key=platform.settings.admin_key is not None,
        fault=fault,
    )


def _show(
    platform: Platform, request: Request, *, fault: str = "", done: str = "", link: str = ""
) -> Response:
    """Platforms with the courses they share, mappings and our courses."""
    stores = platform.stores
    platforms = stores.lti_platforms.platforms()
    return page(
        request,
        "admin.html",
        frames=(),
        status=422 if fault else 200,
        a=ADMIN_TEXTS[browser_language(request)],
        csrf=AdminSessions(platform).csrf(request),
        fault=fault,
        done=done,
        link=link,
        platforms=[(known, stores.lti_shared_courses.shared(known.id)) for known in platforms],
        issuers={known.id: known.issuer for known in platforms},
        mapped=stores.lti_platforms.contexts(),
        courses=stores.courses.courses(),
        waiting=stores.lti_invitations.waiting(),
    )
