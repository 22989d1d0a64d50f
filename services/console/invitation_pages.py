"""What a link opens: an invitation to a course, or the page to set a password. The link is the right."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.log_in_pages import let_in, require_passwords, uses_passwords
from services.console.pages import page
from services.http.callers import check_origin
from services.http.problems import problem_of
from services.http.serving import Served
from services.identity.instructor_sessions import COOKIE, Form, field, find_person, parse_form, read_form
from services.storage.people import LONGEST_EMAIL, LONGEST_NAME
from services.use_cases.people import SHORTEST
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault

router = APIRouter(prefix="/-")


@router.get("/invitations/{secret}")
async def show_invitation(request: Request, secret: str, platform: Served) -> Response:
    """Who invites to what. A link in an e-mail brings no strict cookie, so such a visit comes here twice."""
    if request.headers.get("sec-fetch-site") == "cross-site" and COOKIE not in request.cookies:
        return page(request, "going_on.html", None, next=request.url.path)
    return await _show_invitation(request, platform, secret)


@router.post("/invitations/{secret}")
async def accept_invitation(request: Request, secret: str, platform: Served) -> Response:
    """A new account, which is logged in then."""
    check_origin(request)
    form = await parse_form(request)
    require_passwords(platform)
    accept = partial(
        platform.people.accept,
        secret,
        name=field(form, "name"),
        email=field(form, "email"),
        password=field(form, "password"),
    )
    try:
        person, course = await asyncio.to_thread(accept)
    except (Conflict, InvalidInput) as error:
        return await _show_invitation(request, platform, secret, error=error, form=form)
    return await let_in(
        request, platform, person, RedirectResponse(f"/console/{course}/inbox", status_code=303)
    )


@router.post("/invitations/{secret}/join")
async def join(request: Request, secret: str, platform: Served) -> Response:
    """Into the course, for someone who is logged in."""
    check_origin(request)
    who = await find_person(request, platform)
    if who is None:
        return RedirectResponse(f"/console/-/invitations/{secret}", status_code=303)
    await read_form(request, who)
    try:
        course = await asyncio.to_thread(platform.stores.invitations.join, secret, who.person.id)
    except Conflict as error:
        return await _show_invitation(request, platform, secret, error=error)
    return RedirectResponse(f"/console/{course}/inbox", status_code=303)


@router.get("/passwords/{secret}")
async def show_password(request: Request, secret: str, platform: Served) -> Response:
    """The form for a new password."""
    return await _show_password(request, platform, secret)


@router.post("/passwords/{secret}")
async def set_password(request: Request, secret: str, platform: Served) -> Response:
    """Set the password of the link's person, who is logged in then."""
    check_origin(request)
    form = await parse_form(request)
    require_passwords(platform)
    try:
        person = await asyncio.to_thread(platform.people.set_password, secret, field(form, "password"))
    except InvalidInput as error:
        return await _show_password(request, platform, secret, error=error)
    return await let_in(request, platform, person, RedirectResponse("/console/-/courses", status_code=303))


async def _show_invitation(
    request: Request,
    platform: Platform,
    secret: str,
    *,
    error: Conflict | InvalidInput | None = None,
    form: Form | None = None,
) -> Response:
    invitation = await asyncio.to_thread(platform.stores.invitations.find, secret)
    course = await asyncio.to_thread(platform.stores.courses.course, invitation.course_id)
    who = await find_person(request, platform)
    may_join = who is not None and invitation.is_for(who.person.email)
    if who is not None and not may_join:
        error = error or Conflict(Fault("person.other_address", email=invitation.email))
    return page(
        request,
        "invitation.html",
        who,
        status=problem_of(error).status if error else 200,
        invitation=invitation,
        invited_to=course,
        may_join=may_join,
        secret=secret,
        name=field(form, "name") if form else invitation.name,
        email=invitation.email or (field(form, "email") if form else ""),
        fault=error.fault if error else None,
        uses_passwords=uses_passwords(platform),
        least=SHORTEST,
        longest_name=LONGEST_NAME,
        longest_email=LONGEST_EMAIL,
    )


async def _show_password(
    request: Request, platform: Platform, secret: str, *, error: InvalidInput | None = None
) -> Response:
    person_id = await asyncio.to_thread(platform.stores.invitations.person_of, secret)
    person = await asyncio.to_thread(platform.stores.people.person, person_id)
    return page(
        request,
        "password.html",
        None,
        status=422 if error else 200,
        person=person,
        secret=secret,
        fault=error.fault if error else None,
        least=SHORTEST,
    )
