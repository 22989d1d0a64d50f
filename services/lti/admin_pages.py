"""The admin page: registrations, mappings and shared courses, for the bearer of the admin key."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from services.lti.pages import page, spoken_language
from services.lti.platform_keys import check_platform
from services.lti.platform_services import NAMES_SCOPE, SCORE_SCOPE
from services.lti.platform_store import LtiContext
from services.lti.registration import ADDRESSES, Label, add_platform, edit_platform
from services.lti.tool import ThisTool
from services.people.course_keys import ADMIN, is_admin_key
from services.people.sessions import Form, OwnForm, field
from services.store.audit_log import NOBODY, Event, act_as
from services.web.callers import address_of, check_origin
from services.web.problems import ProblemRaised, forbidden
from services.web.serving import Limits, Served, ThreadedRouter, public_address
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.texts import read_texts
from vta.types.courses import CourseId, PlatformId

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


@dataclass(frozen=True, slots=True)
class AdminSessions:
    """Sessions that need no rows: an end, and a keyed digest of it that another admin key undoes.

    A log-out undoes it too, for everybody who is logged in by the one admin key.
    """

    platform: Platform

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
            self.platform.stores.secrets.forget(_SECRET)

    def csrf(self, request: Request) -> str:
        """The token of the forms of the request's session."""
        return self._sign("csrf:" + request.cookies.get(COOKIE, ""))

    def is_open(self, request: Request) -> bool:
        """Whether the request brings the cookie of a session that has not ended."""
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
    """A dependency that lets in who is logged in with the admin key; else `AdminNeeded`."""
    if not await asyncio.to_thread(AdminSessions(platform).is_open, request):
        raise AdminNeeded
    act_as(ADMIN)


async def read_admin_form(request: Request, form: OwnForm, platform: Served) -> Form:
    """A dependency: the form of a write. 403 unless it comes from this site with the session's token."""
    token = await asyncio.to_thread(AdminSessions(platform).csrf, request)
    if not hmac.compare_digest(field(form, "csrf").encode(), token.encode()):
        raise forbidden(Fault("console.form_expired"))
    return form


Posted = Annotated[Form, Depends(read_admin_form)]
"""A form of the page, as a parameter of a route."""
_ADMIN = [Depends(admit_admin)]
router = ThreadedRouter(prefix="/lti/admin", include_in_schema=False)
"""The page, which works without scripts."""


@router.get("/log-in")
def log_in_page(request: Request, platform: Served) -> Response:
    return _log_in_page(platform, request)


@router.post("/log-in")
async def log_in(request: Request, form: OwnForm, platform: Served, limits: Limits) -> Response:
    """429 where too many log-ins by the admin key failed in the last minute."""
    spoken = spoken_language(request, None)
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
    asked = (("names", NAMES_SCOPE), ("scores", SCORE_SCOPE))
    scopes = [scope for name, scope in asked if field(form, name) == "on"]
    text = platform.stores.lti_invitations.make(scopes)
    return _show(platform, request, link=f"{root}/lti/register?invite={text}")


@router.post("/check", dependencies=_ADMIN)
async def check(request: Request, form: Posted, tool: ThisTool) -> Response:
    platforms, known_id = tool.platform.stores.lti_platforms, PlatformId(field(form, "platform"))
    spoken = spoken_language(request, None)
    try:
        known = await asyncio.to_thread(platforms.platform, known_id)
        keys = await check_platform(known, tool.outgoing)
    except VtaError as error:
        return await asyncio.to_thread(_show, tool.platform, request, fault=error.fault.text(spoken))
    done = f"{known.issuer}: {ADMIN_TEXTS[spoken]['keys_found']} {keys}"
    return await asyncio.to_thread(_show, tool.platform, request, done=done)


@router.post("/do/{action}", dependencies=_ADMIN)
def act(request: Request, action: str, form: Posted, platform: Served) -> Response:
    if action not in ACTIONS:
        raise NotFound(Fault("lti.no_static_file", name=action))
    spoken = spoken_language(request, None)
    texts = ADMIN_TEXTS[spoken]
    try:
        ACTIONS[action](platform, form, lambda name: texts.get(name, name))
    except VtaError as error:
        return _show(platform, request, fault=error.fault.text(spoken))
    return _show(platform, request, done=texts["done"])


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


def _show(
    platform: Platform, request: Request, *, fault: str = "", done: str = "", link: str = ""
) -> Response:
    """Platforms with the courses they share, mappings with what they agreed to, and our courses."""
    stores = platform.stores
    platforms = stores.lti_platforms.platforms()
    return page(
        request,
        "admin.html",
        frames=(),
        status=422 if fault else 200,
        a=ADMIN_TEXTS[spoken_language(request, None)],
        csrf=AdminSessions(platform).csrf(request),
        fault=fault,
        done=done,
        link=link,
        platforms=[(known, stores.lti_shared_courses.shared(known.id)) for known in platforms],
        issuers={known.id: known.issuer for known in platforms},
        mapped=[(each, stores.lti_services.of(each.context)) for each in stores.lti_platforms.contexts()],
        courses=stores.courses.courses(),
        waiting=stores.lti_invitations.waiting(),
    )
