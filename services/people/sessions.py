"""The user of a request to the console, their rights, and the check of the forms they send."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated
from urllib.parse import parse_qsl, quote

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from services.people.session_store import SESSION_LASTS, ConsoleSession
from services.people.store import CourseRole, Person, PlatformRole, TaughtCourse
from services.store.audit_log import act_as
from services.web.callers import check_origin
from services.web.problems import forbidden
from services.web.serving import Served
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import Course


class Right(StrEnum):
    """A part of a course that someone may change."""

    QUESTIONS = "questions"
    FAQ = "faq"
    MATERIALS = "materials"
    GRAPH = "graph"
    SETTINGS = "settings"
    KEYS = "keys"
    PEOPLE = "people"
    ARCHIVE = "archive"


EVERYTHING = frozenset(Right)
LAUNCHED = EVERYTHING - {Right.KEYS, Right.PEOPLE, Right.ARCHIVE}
"""Of an instructor's launch: keys and invitations outlive it, so a launched instructor makes none."""
ASSISTANT = frozenset({Right.QUESTIONS, Right.FAQ})
"""Of a teaching assistant, launched or not."""


def rights_of(session: ConsoleSession, role: CourseRole | None = None) -> frozenset[Right]:
    """The rights of a console session in a course; `role` is that of a person there."""
    if session.person is not None:
        return {CourseRole.INSTRUCTOR: EVERYTHING, CourseRole.TA: ASSISTANT, None: frozenset[Right]()}[role]
    if session.key_id is not None:
        return EVERYTHING
    return ASSISTANT if session.is_assistant else LAUNCHED


COOKIE = "vta_console"
CSRF_FIELD = "csrf"


class LogInNeeded(Exception):
    """The page needs a log-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleUser:
    """Someone who is logged in to the console."""

    session: ConsoleSession

    @property
    def name(self) -> str:
        """Their name on pages and in the history of FAQ entries."""
        return self.session.name or f"key {self.session.key_id}"

    @property
    def may_make_courses(self) -> bool:
        """True for a person whom an admin lets make courses."""
        return self.session.person is not None and self.session.person.may_make_courses

    @property
    def is_admin(self) -> bool:
        return self.session.person is not None and self.session.person.role is PlatformRole.ADMIN


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSession(ConsoleUser):
    """A person on a page outside the courses."""

    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructorSession(ConsoleUser):
    """An instructor in a course; a person has a `role` there, and maybe other `courses`."""

    course: Course
    role: CourseRole | None = None
    courses: tuple[TaughtCourse, ...] = ()

    def may(self, right: str) -> bool:
        return Right(right) in rights_of(self.session, self.role)


Form = Mapping[str, tuple[str, ...]]
"""The fields of a form, each with its values in order."""


async def require_log_in(request: Request, course: str, platform: Served) -> InstructorSession:
    """A dependency: the user who is logged in to the course in the address; else `LogInNeeded`.

    403 for a person who is not in the course; the reply does not depend on whether it exists.
    """
    session = await resume_session(request, platform)
    if session is None:
        raise LogInNeeded
    if session.person is not None:
        instructor = await _in_course_of_theirs(request, platform, session, session.person, course)
    elif session.course_id == course:
        found = await asyncio.to_thread(platform.stores.courses.course, session.course_id)
        instructor = InstructorSession(course=found, session=session)
    else:
        raise LogInNeeded
    request.state.instructor = instructor  # pages of faults show it
    return instructor


async def _in_course_of_theirs(
    request: Request, platform: Platform, session: ConsoleSession, person: Person, course: str
) -> InstructorSession:
    courses = await asyncio.to_thread(platform.stores.memberships.courses_of, person.id, person.role)
    mine = next((each for each in courses if each.course.id == course), None)
    if mine is None:
        request.state.instructor = PersonSession(session=session, person=person)
        raise forbidden(Fault("person.not_in_course"))
    return InstructorSession(course=mine.course, session=session, role=mine.role, courses=courses)


async def resume_session(request: Request, platform: Platform) -> ConsoleSession | None:
    """Find the session of the browser's cookie and make its user the actor of audit events."""
    cookie = request.cookies.get(COOKIE, "")
    found = await asyncio.to_thread(platform.stores.console.find, cookie) if cookie else None
    if found is not None:
        act_as(found.actor)
    return found


async def find_person(request: Request, platform: Served) -> PersonSession | None:
    """A dependency: the person who is logged in, if one is."""
    session = await resume_session(request, platform)
    if session is None or session.person is None:
        return None
    return PersonSession(session=session, person=session.person)


async def require_person(request: Request, platform: Served) -> PersonSession:
    """A dependency: the person who is logged in; else `LogInNeeded`. 403 for forms of other sites."""
    if request.method not in ("GET", "HEAD"):
        check_origin(request)
    found = await find_person(request, platform)
    if found is None:
        raise LogInNeeded
    request.state.instructor = found
    return found


ThePerson = Annotated[PersonSession, Depends(require_person)]
LoggedIn = Annotated[InstructorSession, Depends(require_log_in)]


async def read_form(request: Request, instructor: ConsoleUser) -> Form:
    """The form of a write. 403 from another site or without the session's token."""
    form = await parse_own_form(request)
    check_token("".join(form.get(CSRF_FIELD, ())), instructor)
    return form


def check_token(given: str, instructor: ConsoleUser) -> None:
    """403 unless it is the token of the instructor's session."""
    if not hmac.compare_digest(given.encode(), instructor.session.csrf.encode()):
        raise forbidden(Fault("console.form_expired"))


async def parse_own_form(request: Request) -> Form:
    """The form of a page of this site. 403 for one of another."""
    check_origin(request)
    return await parse_form(request)


async def parse_form(request: Request) -> Form:
    """The fields of a form in the body. 403 for anything but an HTML form's own encoding."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise forbidden(Fault("console.not_our_form"))
    try:
        pairs = parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=5000)
    except (UnicodeDecodeError, ValueError) as error:
        raise InvalidInput(Fault("console.form_unreadable")) from error
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        fields[name] = (*fields.get(name, ()), value.replace("\r\n", "\n").replace("\0", ""))
    return fields


AnyForm = Annotated[Form, Depends(parse_form)]
OwnForm = Annotated[Form, Depends(parse_own_form)]


def field(form: Form, name: str) -> str:
    """The last value of a field, empty where there is none."""
    return form.get(name, ("",))[-1]


def set_cookie(response: Response, request: Request, cookie: str) -> None:
    """Set the session's cookie: for this site alone, out of reach of scripts."""
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=int(SESSION_LASTS.total_seconds()),
        path="/console",
        httponly=True,
        secure=request.url.scheme == "https",
        samesite="strict",
    )


def place_of(request: Request) -> str:
    """The address of a page; after a form that of its section of the console."""
    path, query = request.url.path, request.url.query
    if request.method == "GET":
        return f"{path}?{query}" if query else path
    return "/".join(path.split("/")[:4])


def to_log_in(request: Request) -> Response:
    """A redirect to the log-in page, which leads back here afterwards."""
    back = quote(place_of(request), safe="/")
    return RedirectResponse(f"/console/log-in?next={back}", status_code=303)
