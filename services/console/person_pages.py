"""Pages of a person outside the courses: log-in, course list, new course, account, invitations."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from services.console.visits import AnybodyVisiting, PageRouter, PersonVisit, PersonVisiting, PublicVisit
from services.people.oidc import OidcIdentity, oidc_of
from services.people.service import SHORTEST
from services.people.session_store import OIDC_LOGIN_LASTS
from services.people.sessions import COOKIE, CSRF_FIELD, PersonSession, check_token, find_person, set_cookie
from services.people.store import LONGEST_EMAIL, LONGEST_NAME, CourseRole, Person
from services.store.audit_log import act_as
from services.web.callers import address_of, check_origin
from services.web.problems import ProblemRaised, forbidden
from services.web.serving import Limits, Served, public_address
from services.wiring import Platform
from vta.errors import Conflict, NotFound
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import LONGEST_COURSE_NAME, Course, CourseId, CourseKey, Role

COURSES = "/console/-/courses"
SCHOOL = "/console/-/school"
_SCHOOL_COOKIE = "vta_school"
_INVITATIONS = "/console/-/invitations/"
MaybePerson = Annotated[PersonSession | None, Depends(find_person)]
"""The person who is logged in, if one is."""

router = PageRouter()


@router.get("/log-in")
def show_log_in(visit: AnybodyVisiting) -> Response:
    """The log-in page; a form that failed is shown again, less its secrets."""
    return visit.page(
        "log_in.html",
        next=visit.field("next", visit.query.get("next", "")),
        uses_passwords=uses_passwords(visit.platform),
    )


@router.post("/log-in")
async def log_in(visit: AnybodyVisiting, limits: Limits) -> Response:
    """Open a session for a person, or for the bearer of an instructor's key, under a new cookie.

    429 where too many log-ins of the account or the address failed in the last minute.
    """
    name, key = visit.field("email").strip().casefold(), visit.field("key").strip()
    try:
        succeeded = await limits.admit_log_in(address_of(visit.request.scope), name or key)
    except ProblemRaised as refused:
        return show_log_in(visit.showing(status=429, fault=refused.fault))
    response = await asyncio.to_thread(_as_person if name else _by_key, visit)
    if response.status_code == 303:
        await succeeded()
    return response


@router.post("/log-out")
def log_out(request: Request, platform: Served) -> Response:
    check_origin(request)
    platform.stores.console.close(request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/console/log-in", status_code=303)
    response.delete_cookie(COOKIE, path="/console")
    return response


@router.get("/-/school")
async def go_to_school(visit: AnybodyVisiting) -> Response:
    """To the school's log-in; the browser is bound to it by a cookie that comes back from there."""
    school, back = oidc_of(visit.request), safe_page(visit.query.get("next", ""))
    login = await asyncio.to_thread(visit.platform.stores.oidc_logins.open, back[:500])
    response = RedirectResponse(await school.address(login, _redirect_uri(visit)), status_code=302)
    response.set_cookie(
        _SCHOOL_COOKIE,
        login.browser,
        max_age=int(OIDC_LOGIN_LASTS.total_seconds()),
        path=SCHOOL,
        httponly=True,
        secure=visit.request.url.scheme == "https",
        samesite="lax",
    )
    return response


@router.get("/-/school/back")
async def come_back(visit: AnybodyVisiting) -> Response:
    """Log in a person of the school who has an account or an invitation; others read how to get one.

    The page redirects by itself, since browsers send no strict cookie on a redirect from another site.
    """
    school, given = oidc_of(visit.request), visit.query
    logins, cookie = visit.platform.stores.oidc_logins, visit.request.cookies.get(_SCHOOL_COOKIE, "")
    login = await asyncio.to_thread(logins.use, given.get("state", ""), cookie)
    if login is None or "code" not in given:
        raise forbidden(Fault("person.no_school", reason=given.get("error", "expired")[:80]))
    word = await school.exchange_code(given["code"], login, _redirect_uri(visit), issuer=given.get("iss"))
    return await asyncio.to_thread(_by_school, visit, word, login.back)


def let_in(visit: PublicVisit, person: Person, response: Response) -> Response:
    """Log the person in under a new cookie, which the response sets; the session before it ends."""
    stores = visit.platform.stores
    stores.console.close(visit.request.cookies.get(COOKIE, ""))
    stores.people.note_seen(person.id)
    cookie, _ = stores.console.open(None, person.name, person=person)
    set_cookie(response, visit.request, cookie)
    return response


def safe_page(back: str) -> str:
    """A page of the console to show next, and no other site's."""
    return back if back.startswith("/console/") and "\\" not in back and "//" not in back else COURSES


def ask_about_keys(visit: PublicVisit, person: Person, lost: Sequence[CourseKey]) -> Response | None:
    """The page that asks before a form revokes keys and names them; None where the form may proceed."""
    oneself = visit.who.session.person if visit.who else None
    if not lost or visit.field("keys") == "revoke" or (oneself and oneself.id == person.id):
        return None
    fields = [(name, value) for name, values in visit.form.items() for value in values]
    return visit.page("lost_keys.html", person=person, lost=lost, fields=fields)


def uses_passwords(platform: Platform) -> bool:
    """True where people log in by passwords, so where no school's log-in is set."""
    return platform.settings.oidc_issuer is None


def require_passwords(platform: Platform) -> None:
    """403 where people log in through their school alone."""
    if not uses_passwords(platform):
        raise forbidden(Fault("person.by_school"))


def _as_person(visit: PublicVisit) -> Response:
    require_passwords(visit.platform)
    person = visit.platform.people.log_in(visit.field("email"), visit.field("password"))
    if person is None:
        return show_log_in(visit.showing(status=403, wrong="wrong_account"))
    return let_in(visit, person, RedirectResponse(safe_page(visit.field("next")), status_code=303))


def _by_key(visit: PublicVisit) -> Response:
    stores = visit.platform.stores
    key = stores.keys.check(visit.field("key").strip())
    if key is None or key.role is not Role.INSTRUCTOR:
        visit.platform.people.note_refused()
        return show_log_in(visit.showing(status=403, wrong="wrong_key"))
    name = " ".join(visit.field("name").split())[:LONGEST_NAME]
    stores.console.close(visit.request.cookies.get(COOKIE, ""))
    cookie, _ = stores.console.open(key.course_id, name, key_id=key.id)
    home, back = f"/console/{key.course_id}/", visit.field("next")
    response = RedirectResponse(back if back.startswith(home) else f"{home}inbox", status_code=303)
    set_cookie(response, visit.request, cookie)
    return response


def _by_school(visit: PublicVisit, word: OidcIdentity, back: str) -> Response:
    person = visit.platform.people.log_in_by_school(word.issuer, word.subject, word.email)
    if person is None and word.email is not None and back.startswith(_INVITATIONS):
        person, back = _accept(visit.platform, word, word.email, back.removeprefix(_INVITATIONS))
    if person is None:
        visit.platform.people.note_refused()
        return visit.page("uninvited.html", status=403, email=word.email)
    response = let_in(visit, person, visit.page("going_on.html", next=back))
    response.delete_cookie(_SCHOOL_COOKIE, path=SCHOOL)
    return response


def _accept(platform: Platform, word: OidcIdentity, email: str, secret: str) -> tuple[Person | None, str]:
    """A new account in the course of an invitation; nobody where it invites somebody else or no more."""
    try:
        person, course = platform.people.accept_by_school(
            secret, issuer=word.issuer, subject=word.subject, name=word.name, email=email
        )
    except NotFound:
        return None, ""
    return person, f"/console/{course}/inbox"


def _redirect_uri(visit: PublicVisit) -> str:
    return f"{public_address(visit.platform, visit.request)}{SCHOOL}/back"


@router.get("/-/courses")
def list_courses(visit: PersonVisiting) -> Response:
    """The courses of a person, with how many questions wait in each."""
    person, memberships = visit.who.person, visit.platform.stores.memberships
    courses = memberships.courses_of(person.id, person.role, counted=True)
    order = visit.query.get("order", "")
    if order == "waiting":
        courses = tuple(sorted(courses, key=lambda each: (each.course.archived, -each.waiting)))
    return visit.page("courses.html", courses=courses, order=order)


@router.get("/-/courses/new")
def new_course(visit: PersonVisiting) -> Response:
    _require_creator(visit)
    return visit.page("new_course.html", longest_name=LONGEST_COURSE_NAME)


@router.form("/-/courses/new", new_course)
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
    visit.platform.catalogue.add(course)
    visit.platform.stores.memberships.put(course.id, visit.who.person.id, CourseRole.INSTRUCTOR)
    return RedirectResponse(f"/console/{course.id}/inbox", status_code=303)


@router.get("/-/account")
def show_account(visit: PersonVisiting) -> Response:
    """One's own name and password."""
    return visit.page(
        "account.html",
        person=visit.who.person,
        least=SHORTEST,
        longest_name=LONGEST_NAME,
        uses_passwords=uses_passwords(visit.platform),
    )


@router.form("/-/account/name", show_account)
def change_name(visit: PersonVisiting) -> Response:
    """Change the name; older texts show the old one."""
    visit.platform.stores.people.rename(visit.who.person.id, visit.field("name"))
    return RedirectResponse("/console/-/account?saved", status_code=303)


@router.form("/-/account/password", show_account)
def change_password(visit: PersonVisiting) -> Response:
    """Set another password; other browsers are logged out."""
    old, new, cookie = visit.field("old"), visit.field("password"), visit.request.cookies.get(COOKIE, "")
    visit.platform.people.change_password(visit.who.person, old, new, cookie=cookie)
    return RedirectResponse("/console/-/account?saved", status_code=303)


@router.get("/-/invitations/{secret}")
def show_invitation(visit: AnybodyVisiting, who: MaybePerson, secret: str) -> Response:
    """The invitation; after a refused form with the typed values except the password.

    A link in an e-mail brings no strict cookie, so such a visit comes here twice.
    """
    is_cross_site = visit.request.headers.get("sec-fetch-site") == "cross-site"
    if visit.request.method == "GET" and is_cross_site and COOKIE not in visit.request.cookies:
        return visit.page("going_on.html", next=visit.request.url.path)
    invitation = visit.platform.stores.invitations.find(secret)
    may_join = who is not None and invitation.is_for(who.person.email)
    if who is not None and not may_join and visit.fault is None:
        visit = replace(visit, fault=Conflict(Fault("person.other_address", email=invitation.email)))
    return replace(visit, who=who).page(
        "invitation.html",
        invitation=invitation,
        invited_to=visit.platform.stores.courses.course(invitation.course_id),
        may_join=may_join,
        secret=secret,
        uses_passwords=uses_passwords(visit.platform),
        least=SHORTEST,
        longest_name=LONGEST_NAME,
        longest_email=LONGEST_EMAIL,
    )


@router.form("/-/invitations/{secret}", show_invitation)
def accept_invitation(visit: AnybodyVisiting, who: MaybePerson, secret: str) -> Response:
    """A new account, which is logged in then."""
    require_passwords(visit.platform)
    name, email, password = (visit.field(each) for each in ("name", "email", "password"))
    person, course = visit.platform.people.accept(secret, name=name, email=email, password=password)
    return let_in(visit, person, RedirectResponse(f"/console/{course}/inbox", status_code=303))


@router.form("/-/invitations/{secret}/join", show_invitation)
def join(visit: AnybodyVisiting, who: MaybePerson, secret: str) -> Response:
    """Into the course, for someone who is logged in."""
    if who is None:
        return RedirectResponse(f"/console/-/invitations/{secret}", status_code=303)
    check_token(visit.field(CSRF_FIELD), who)
    act_as(who.session.actor)
    course = visit.platform.stores.invitations.join(secret, who.person.id)
    return RedirectResponse(f"/console/{course}/inbox", status_code=303)


@router.get("/-/passwords/{secret}")
def show_password(visit: AnybodyVisiting, secret: str) -> Response:
    person = visit.platform.stores.people.person(visit.platform.stores.invitations.person_of(secret))
    return visit.page("password.html", person=person, secret=secret, least=SHORTEST)


@router.form("/-/passwords/{secret}", show_password)
def set_password(visit: AnybodyVisiting, secret: str) -> Response:
    """Set the password of the link's person, who is logged in then."""
    require_passwords(visit.platform)
    person = visit.platform.people.set_password(secret, visit.field("password"))
    return let_in(visit, person, RedirectResponse("/console/-/courses", status_code=303))


def _require_creator(visit: PersonVisit) -> None:
    if not visit.who.may_make_courses:
        raise forbidden(Fault("person.no_creator"))
