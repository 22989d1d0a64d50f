"""Logging in at the school: on the way there, and back with its word."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.log_in_pages import let_in, safe_page
from services.console.pages import page
from services.http.problems import forbidden
from services.http.serving import Served, public_address
from services.identity.school import SchoolsWord, school_of
from services.storage.console_sessions import OIDC_LOGIN_LASTS
from services.storage.people import Person
from services.wiring import Platform
from vta.errors import NotFound
from vta.faults import Fault

PATH = "/console/-/school"
_COOKIE = "vta_school"
_INVITATIONS = "/console/-/invitations/"

router = APIRouter(prefix="/-/school")


@router.get("")
async def go_to_school(request: Request, platform: Served) -> Response:
    """To the school's log-in; the browser is bound to it by a cookie that comes back from there."""
    school = school_of(request)
    back = safe_page(request.query_params.get("next", ""))
    login = await asyncio.to_thread(platform.stores.oidc_logins.open, back[:500])
    address = await school.address(login, _redirect_uri(platform, request))
    response = RedirectResponse(address, status_code=302)
    response.set_cookie(
        _COOKIE,
        login.browser,
        max_age=int(OIDC_LOGIN_LASTS.total_seconds()),
        path=PATH,
        httponly=True,
        secure=request.url.scheme == "https",
        samesite="lax",
    )
    return response


@router.get("/back")
async def come_back(request: Request, platform: Served) -> Response:
    """In, for whom the school vouches and somebody invited; everybody else reads what to do.

    The page goes on by itself, since browsers send no strict cookie on a redirect from another site.
    """
    school, given = school_of(request), request.query_params
    use = partial(platform.stores.oidc_logins.use, given.get("state", ""), request.cookies.get(_COOKIE, ""))
    login = await asyncio.to_thread(use)
    if login is None or "code" not in given:
        raise forbidden(Fault("person.no_school", reason=given.get("error", "expired")[:80]))
    redirect_uri = _redirect_uri(platform, request)
    word = await school.word(given["code"], login, redirect_uri, issuer=given.get("iss"))
    log_in = partial(platform.people.log_in_by_school, word.issuer, word.subject, word.email)
    person, back = await asyncio.to_thread(log_in), login.back
    if person is None and word.email is not None and back.startswith(_INVITATIONS):
        person, back = await _accept(platform, word, word.email, back.removeprefix(_INVITATIONS))
    if person is None:
        return page(request, "uninvited.html", None, status=403, email=word.email)
    response = await let_in(request, platform, person, page(request, "going_on.html", None, next=back))
    response.delete_cookie(_COOKIE, path=PATH)
    return response


async def _accept(
    platform: Platform, word: SchoolsWord, email: str, secret: str
) -> tuple[Person | None, str]:
    """A new account in the course of an invitation; nobody where it invites somebody else or no more."""
    accept = partial(
        platform.people.accept_by_school,
        secret,
        issuer=word.issuer,
        subject=word.subject,
        name=word.name,
        email=email,
    )
    try:
        person, course = await asyncio.to_thread(accept)
    except NotFound:
        return None, ""
    return person, f"/console/{course}/inbox"


def _redirect_uri(platform: Platform, request: Request) -> str:
    return f"{public_address(platform, request)}{PATH}/back"
