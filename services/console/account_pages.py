"""A person's own pages: their courses, a new one, their name and password."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.log_in_pages import uses_passwords
from services.console.pages import page
from services.http.problems import forbidden, problem_of
from services.http.serving import Served
from services.identity.instructor_sessions import (
    COOKIE,
    Form,
    PersonSession,
    ThePerson,
    field,
    read_form,
)
from services.storage.people import LONGEST_NAME, CourseRole
from services.use_cases.courses import LONGEST_COURSE_NAME
from services.use_cases.people import SHORTEST
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types import Course, CourseId, Language

router = APIRouter(prefix="/-")


@router.get("/courses")
async def list_courses(request: Request, platform: Served, who: ThePerson) -> Response:
    """The courses of a person, with how many questions wait in each."""
    find = partial(platform.stores.memberships.courses_of, who.person.id, who.person.role, counted=True)
    return page(request, "courses.html", who, courses=await asyncio.to_thread(find))


@router.get("/courses/new")
async def new_course(request: Request, who: ThePerson) -> Response:
    """The form of a new course."""
    _require_creator(who)
    return _show_new_course(request, who)


@router.post("/courses/new")
async def make_course(request: Request, platform: Served, who: ThePerson) -> Response:
    """Make a course, whose instructor is who made it."""
    form = await read_form(request, who)
    _require_creator(who)
    language = field(form, "language")
    course = Course(
        id=CourseId(field(form, "id").strip()),
        name=field(form, "name"),
        domains=tuple(field(form, "domains").split("\n")),
        language=Language(language) if language in set(Language) else Language.ZH,
    )
    try:
        await asyncio.to_thread(platform.catalogue.add, course)
    except (Conflict, InvalidInput) as error:
        return _show_new_course(request, who, form=form, error=error)
    put = partial(platform.stores.memberships.put, course.id, who.person.id, CourseRole.INSTRUCTOR)
    await asyncio.to_thread(put)
    return RedirectResponse(f"/console/{course.id}/materials", status_code=303)


@router.get("/account")
async def show_account(request: Request, platform: Served, who: ThePerson) -> Response:
    """One's own name and password."""
    return _show_account(request, platform, who)


@router.post("/account/name")
async def change_name(request: Request, platform: Served, who: ThePerson) -> Response:
    """Be called something else from now on; what was written before keeps the old name."""
    form = await read_form(request, who)
    try:
        await asyncio.to_thread(platform.stores.people.rename, who.person.id, field(form, "name"))
    except InvalidInput as error:
        return _show_account(request, platform, who, error=error)
    return RedirectResponse("/console/-/account?saved", status_code=303)


@router.post("/account/password")
async def change_password(request: Request, platform: Served, who: ThePerson) -> Response:
    """Set another password; other browsers are logged out."""
    form = await read_form(request, who)
    change = partial(
        platform.people.change_password,
        who.person,
        field(form, "old"),
        field(form, "password"),
        cookie=request.cookies.get(COOKIE, ""),
    )
    try:
        await asyncio.to_thread(change)
    except InvalidInput as error:
        return _show_account(request, platform, who, error=error)
    return RedirectResponse("/console/-/account?saved", status_code=303)


def _require_creator(who: PersonSession) -> None:
    if not who.may_make_courses:
        raise forbidden(Fault("person.no_creator"))


def _show_new_course(
    request: Request,
    who: PersonSession,
    *,
    form: Form | None = None,
    error: Conflict | InvalidInput | None = None,
) -> Response:
    names = ("id", "name", "domains", "language")
    return page(
        request,
        "new_course.html",
        who,
        status=problem_of(error).status if error else 200,
        values={name: field(form or {}, name) for name in names},
        longest_name=LONGEST_COURSE_NAME,
        fault=error.fault if error else None,
    )


def _show_account(
    request: Request, platform: Platform, who: PersonSession, *, error: InvalidInput | None = None
) -> Response:
    return page(
        request,
        "account.html",
        who,
        status=422 if error else 200,
        person=who.person,
        saved="saved" in request.query_params,
        fault=error.fault if error else None,
        least=SHORTEST,
        longest_name=LONGEST_NAME,
        uses_passwords=uses_passwords(platform),
    )
