"""The people of a course: who is in it, invitations, roles, and links to set a password."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.log_in_pages import uses_passwords
from services.console.pages import page
from services.http.problems import bad_request, problem_of
from services.http.serving import Served, public_address
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.storage.invitations import Maker
from services.storage.people import LONGEST_EMAIL, LONGEST_NAME, CourseRole, PersonId
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault

router = APIRouter(prefix="/people")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A link that is shown this once: of an invitation, or for someone to set a password."""

    address: str
    of: str = ""
    """Who may set a password by it."""
    email: str = ""
    """Where an invitation was to be sent."""
    mailed: bool = False


@router.get("")
async def show_people(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Who is in the course, and who is invited."""
    return await _show(request, platform, who)


@router.post("/invite")
async def invite(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Make an invitation, whose link is shown this once and sent where an address is given."""
    form = await read_form(request, who)
    email = field(form, "email").strip()
    make = partial(
        platform.people.invite,
        _maker(who),
        _role(form),
        name=field(form, "name"),
        email=email,
        by=who.name,
    )
    try:
        root = public_address(platform, request)
        secret = await asyncio.to_thread(make)
    except (Conflict, InvalidInput) as error:
        return await _show(request, platform, who, error=error)
    address = f"{root}/console/-/invitations/{secret}"
    send = partial(platform.postman.invite, who.course, email, address=address, by=who.name)
    mailed = bool(email) and await asyncio.to_thread(send)
    return await _show(request, platform, who, link=NewLink(address=address, email=email, mailed=mailed))


@router.post("/withdraw")
async def withdraw(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Let an invitation open nothing any more."""
    form = await read_form(request, who)
    await asyncio.to_thread(platform.stores.invitations.withdraw, who.course.id, field(form, "invitation"))
    return _done(who)


@router.post("/role")
async def change_role(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Give someone another role."""
    form = await read_form(request, who)
    change = partial(
        platform.people.change_role, who.course.id, _person(form), _role(form), by=who.session.person
    )
    return await _carry_out(request, platform, who, change)


@router.post("/remove")
async def remove(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Take someone out of the course, at once."""
    form = await read_form(request, who)
    leave = partial(platform.people.remove_member, who.course.id, _person(form), by=who.session.person)
    return await _carry_out(request, platform, who, leave)


@router.post("/password")
async def make_password_link(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Make a link by which someone sets a new password."""
    form = await read_form(request, who)
    person = await asyncio.to_thread(platform.stores.people.person, _person(form))
    make = partial(platform.people.make_password_link, _maker(who), person.id)
    try:
        root = public_address(platform, request)
        secret = await asyncio.to_thread(make)
    except Conflict as error:
        return await _show(request, platform, who, error=error)
    address = f"{root}/console/-/passwords/{secret}"
    return await _show(request, platform, who, link=NewLink(address=address, of=person.name))


async def _carry_out(
    request: Request, platform: Platform, who: InstructorSession, change: partial[None]
) -> Response:
    try:
        await asyncio.to_thread(change)
    except Conflict as error:
        return await _show(request, platform, who, error=error)
    return _done(who)


def _done(who: InstructorSession) -> Response:
    return RedirectResponse(f"/console/{who.course.id}/people?done", status_code=303)


async def _show(
    request: Request,
    platform: Platform,
    who: InstructorSession,
    *,
    link: NewLink | None = None,
    error: Conflict | InvalidInput | None = None,
) -> Response:
    members = await asyncio.to_thread(platform.stores.memberships.members, who.course.id)
    return page(
        request,
        "people.html",
        who,
        status=problem_of(error).status if error else 200,
        members=members,
        invitations=await asyncio.to_thread(platform.stores.invitations.waiting, who.course.id),
        oneself=who.session.person.id if who.session.person else None,
        roles=tuple(CourseRole),
        link=link,
        done="done" in request.query_params,
        fault=error.fault if error else None,
        can_mail=platform.postman.can_send,
        uses_passwords=uses_passwords(platform),
        longest_name=LONGEST_NAME,
        longest_email=LONGEST_EMAIL,
    )


def _maker(who: InstructorSession) -> Maker:
    person = who.session.person
    return Maker(course_id=who.course.id, person_id=person.id if person else None, key_id=who.session.key_id)


def _person(form: Form) -> PersonId:
    return PersonId(field(form, "person"))


def _role(form: Form) -> CourseRole:
    """The role that was chosen; 400 for none, so that nobody gets one by mistake."""
    role = field(form, "role")
    if role not in set(CourseRole):
        raise bad_request(Fault("console.no_action"))
    return CourseRole(role)
