"""What a person does apart from a course: list and make courses, name and password, follow a link."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Depends
from fastapi.responses import RedirectResponse, Response

from services.console.log_in_pages import let_in, require_passwords, uses_passwords
from services.console.visits import AnybodyVisiting, PersonVisit, PersonVisiting, PublicVisit
from services.http.problems import forbidden
from services.http.serving import ThreadedRouter
from services.identity.instructor_sessions import COOKIE, CSRF_FIELD, PersonSession, check_token, find_person
from services.storage.people import LONGEST_EMAIL, LONGEST_NAME, CourseRole
from services.use_cases.courses import LONGEST_COURSE_NAME
from services.use_cases.people import SHORTEST
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types import Course, CourseId, Language

MaybePerson = Annotated[PersonSession | None, Depends(find_person)]
"""The person who is logged in, if one is."""

router = ThreadedRouter(prefix="/-")


@router.get("/courses")
def list_courses(visit: PersonVisiting) -> Response:
    """The courses of a person, with how many questions wait in each."""
    person, memberships = visit.who.person, visit.platform.stores.memberships
    courses = memberships.courses_of(person.id, person.role, counted=True)
    return visit.page("courses.html", courses=courses)


@router.get("/courses/new")
def new_course(visit: PersonVisiting) -> Response:
    """The form of a new course."""
    _require_creator(visit)
    return _show_new_course(visit)


@router.post("/courses/new")
def make_course(visit: PersonVisiting) -> Response:
    """Make a course, whose instructor is who made it."""
    _require_creator(visit)
    language = visit.field("language")
    course = Course(
        id=CourseId(visit.field("id").strip()),
        name=visit.field("name"),
        domains=tuple(visit.field("domains").split("\n")),
        language=Language(language) if language in set(Language) else Language.ZH,
    )
    try:
        visit.platform.catalogue.add(course)
    except (Conflict, InvalidInput) as error:
        return _show_new_course(visit, error)
    visit.platform.stores.memberships.put(course.id, visit.who.person.id, CourseRole.INSTRUCTOR)
    return RedirectResponse(f"/console/{course.id}/materials", status_code=303)


@router.get("/account")
def show_account(visit: PersonVisiting) -> Response:
    """One's own name and password."""
    return _show_account(visit)


@router.post("/account/name")
def change_name(visit: PersonVisiting) -> Response:
    """Be called something else from now on; what was written before keeps the old name."""
    try:
        visit.platform.stores.people.rename(visit.who.person.id, visit.field("name"))
    except InvalidInput as error:
        return _show_account(visit, error)
    return RedirectResponse("/console/-/account?saved", status_code=303)


@router.post("/account/password")
def change_password(visit: PersonVisiting) -> Response:
    """Set another password; other browsers are logged out."""
    old, new = visit.field("old"), visit.field("password")
    try:
        visit.platform.people.change_password(
            visit.who.person, old, new, cookie=visit.request.cookies.get(COOKIE, "")
        )
    except InvalidInput as error:
        return _show_account(visit, error)
    return RedirectResponse("/console/-/account?saved", status_code=303)


@router.get("/invitations/{secret}")
def show_invitation(visit: AnybodyVisiting, who: MaybePerson, secret: str) -> Response:
    """Who invites to what. A link in an e-mail brings no strict cookie, so such a visit comes here twice."""
    is_cross_site = visit.request.headers.get("sec-fetch-site") == "cross-site"
    if is_cross_site and COOKIE not in visit.request.cookies:
        return visit.page("going_on.html", next=visit.request.url.path)
    return _show_invitation(visit, who, secret)


@router.post("/invitations/{secret}")
def accept_invitation(visit: AnybodyVisiting, who: MaybePerson, secret: str) -> Response:
    """A new account, which is logged in then."""
    require_passwords(visit.platform)
    name, email, password = (visit.field(each) for each in ("name", "email", "password"))
    try:
        person, course = visit.platform.people.accept(secret, name=name, email=email, password=password)
    except (Conflict, InvalidInput) as error:
        return _show_invitation(visit, who, secret, error)
    return let_in(visit, person, RedirectResponse(f"/console/{course}/inbox", status_code=303))


@router.post("/invitations/{secret}/join")
def join(visit: AnybodyVisiting, who: MaybePerson, secret: str) -> Response:
    """Into the course, for someone who is logged in."""
    if who is None:
        return RedirectResponse(f"/console/-/invitations/{secret}", status_code=303)
    check_token(visit.field(CSRF_FIELD), who)
    try:
        course = visit.platform.stores.invitations.join(secret, who.person.id)
    except Conflict as error:
        return _show_invitation(visit, who, secret, error)
    return RedirectResponse(f"/console/{course}/inbox", status_code=303)


@router.get("/passwords/{secret}")
def show_password(visit: AnybodyVisiting, secret: str) -> Response:
    """The form for a new password."""
    return _show_password(visit, secret)


@router.post("/passwords/{secret}")
def set_password(visit: AnybodyVisiting, secret: str) -> Response:
    """Set the password of the link's person, who is logged in then."""
    require_passwords(visit.platform)
    try:
        person = visit.platform.people.set_password(secret, visit.field("password"))
    except InvalidInput as error:
        return _show_password(visit, secret, error)
    return let_in(visit, person, RedirectResponse("/console/-/courses", status_code=303))


def _require_creator(visit: PersonVisit) -> None:
    if not visit.who.may_make_courses:
        raise forbidden(Fault("person.no_creator"))


def _show_new_course(visit: PersonVisit, error: Conflict | InvalidInput | None = None) -> Response:
    values = {name: visit.field(name) for name in ("id", "name", "domains", "language")}
    return visit.page("new_course.html", values=values, longest_name=LONGEST_COURSE_NAME, fault=error)


def _show_account(visit: PersonVisit, error: InvalidInput | None = None) -> Response:
    return visit.page(
        "account.html",
        person=visit.who.person,
        saved="saved" in visit.query,
        fault=error,
        least=SHORTEST,
        longest_name=LONGEST_NAME,
        uses_passwords=uses_passwords(visit.platform),
    )


def _show_invitation(
    visit: PublicVisit,
    who: PersonSession | None,
    secret: str,
    error: Conflict | InvalidInput | None = None,
) -> Response:
    """Also for a form that failed, with what was typed but the password."""
    invitation = visit.platform.stores.invitations.find(secret)
    may_join = who is not None and invitation.is_for(who.person.email)
    if who is not None and not may_join:
        error = error or Conflict(Fault("person.other_address", email=invitation.email))
    return replace(visit, who=who).page(
        "invitation.html",
        invitation=invitation,
        invited_to=visit.platform.stores.courses.course(invitation.course_id),
        may_join=may_join,
        secret=secret,
        name=visit.field("name") if "name" in visit.form else invitation.name,
        email=invitation.email or visit.field("email"),
        fault=error,
        uses_passwords=uses_passwords(visit.platform),
        least=SHORTEST,
        longest_name=LONGEST_NAME,
        longest_email=LONGEST_EMAIL,
    )


def _show_password(visit: PublicVisit, secret: str, error: InvalidInput | None = None) -> Response:
    person = visit.platform.stores.people.person(visit.platform.stores.invitations.person_of(secret))
    return visit.page("password.html", person=person, secret=secret, fault=error, least=SHORTEST)
