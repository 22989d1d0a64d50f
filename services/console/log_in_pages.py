"""Logging in, as a person or by a key, and out."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.pages import page
from services.http.callers import address_of, check_origin
from services.http.problems import ProblemRaised, forbidden
from services.http.serving import Served, limits_of_app
from services.identity.instructor_sessions import COOKIE, Form, field, parse_form, set_cookie
from services.storage.people import Person
from services.wiring import Platform
from vta.faults import Fault
from vta.types import Role

LONGEST_NAME = 80
"""Characters of an instructor's name."""
COURSES = "/console/-/courses"

router = APIRouter()


@router.get("/log-in")
async def log_in_page(request: Request, platform: Served) -> Response:
    return _show(request, platform, back=request.query_params.get("next", ""))


@router.post("/log-in")
async def log_in(request: Request, platform: Served) -> Response:
    """Open a session for a person, or for the bearer of an instructor's key, under a new cookie.

    429 where too many log-ins of the account or the address failed in the last minute.
    """
    check_origin(request)
    form = await parse_form(request)
    name, key = field(form, "email").strip().casefold(), field(form, "key").strip()
    try:
        succeeded = await limits_of_app(request).admit_log_in(address_of(request.scope), name or key)
    except ProblemRaised as refused:
        return _show(request, platform, status=429, fault=refused.fault, form=form)
    response = await (_as_person(request, platform, form) if name else _by_key(request, platform, form))
    if response.status_code == 303:
        await succeeded()
    return response


@router.post("/log-out")
async def log_out(request: Request, platform: Served) -> Response:
    check_origin(request)
    await asyncio.to_thread(platform.stores.console.close, request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/console/log-in", status_code=303)
    response.delete_cookie(COOKIE, path="/console")
    return response


async def let_in(request: Request, platform: Platform, person: Person, response: Response) -> Response:
    """The response, which logs the person in under a new cookie; whoever was logged in is out."""
    await asyncio.to_thread(platform.stores.console.close, request.cookies.get(COOKIE, ""))
    await asyncio.to_thread(platform.stores.people.note_seen, person.id)
    cookie, _ = await asyncio.to_thread(platform.stores.console.open_person, person)
    set_cookie(response, request, cookie)
    return response


def safe_page(back: str, default: str = COURSES) -> str:
    """A page of the console to show next, and no other site's."""
    return back if back.startswith("/console/") and "\\" not in back and "//" not in back else default


def uses_passwords(platform: Platform) -> bool:
    """Whether people log in by passwords; where the school's log-in is set, they do by that alone."""
    return platform.settings.oidc_issuer is None


def require_passwords(platform: Platform) -> None:
    """403 where people log in through their school alone."""
    if not uses_passwords(platform):
        raise forbidden(Fault("person.by_school"))


async def _as_person(request: Request, platform: Platform, form: Form) -> Response:
    require_passwords(platform)
    person = await asyncio.to_thread(platform.people.log_in, field(form, "email"), field(form, "password"))
    if person is None:
        return _show(request, platform, status=403, wrong="wrong_account", form=form)
    response = RedirectResponse(safe_page(field(form, "next")), status_code=303)
    return await let_in(request, platform, person, response)


async def _by_key(request: Request, platform: Platform, form: Form) -> Response:
    key = await asyncio.to_thread(platform.stores.keys.check, field(form, "key").strip())
    if key is None or key.role is not Role.INSTRUCTOR:
        return _show(request, platform, status=403, wrong="wrong_key", form=form)
    name = " ".join(field(form, "name").split())[:LONGEST_NAME]
    await asyncio.to_thread(platform.stores.console.close, request.cookies.get(COOKIE, ""))
    cookie, _ = await asyncio.to_thread(platform.stores.console.open, key, name)
    home, back = f"/console/{key.course_id}/", field(form, "next")
    response = RedirectResponse(back if back.startswith(home) else f"{home}inbox", status_code=303)
    set_cookie(response, request, cookie)
    return response


def _show(
    request: Request,
    platform: Platform,
    *,
    back: str = "",
    status: int = 200,
    wrong: str = "",
    fault: Fault | None = None,
    form: Form | None = None,
) -> Response:
    """The log-in page; a form that failed is shown again, less its secrets."""
    return page(
        request,
        "log_in.html",
        None,
        status=status,
        wrong=wrong,
        fault=fault,
        next=field(form, "next") if form else back,
        email=field(form, "email") if form else "",
        uses_passwords=uses_passwords(platform),
    )
