"""Logging in, as a person, by a key or at the school, and out."""

from __future__ import annotations

import asyncio

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from services.console.visits import AnybodyVisiting, PublicVisit
from services.http.callers import address_of, check_origin
from services.http.problems import ProblemRaised, forbidden
from services.http.serving import Served, ThreadedRouter, limits_of_app, public_address
from services.identity.instructor_sessions import COOKIE, set_cookie
from services.identity.school import SchoolsWord, school_of
from services.storage.console_sessions import OIDC_LOGIN_LASTS
from services.storage.people import Person
from services.wiring import Platform
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import Role

LONGEST_NAME = 80
"""Characters of an instructor's name."""
COURSES = "/console/-/courses"
SCHOOL = "/console/-/school"
_SCHOOL_COOKIE = "vta_school"
_INVITATIONS = "/console/-/invitations/"

router = ThreadedRouter()


@router.get("/log-in")
def log_in_page(visit: AnybodyVisiting) -> Response:
    return _show(visit, back=visit.query.get("next", ""))


@router.post("/log-in")
async def log_in(visit: AnybodyVisiting) -> Response:
    """Open a session for a person, or for the bearer of an instructor's key, under a new cookie.

    429 where too many log-ins of the account or the address failed in the last minute.
    """
    name, key = visit.field("email").strip().casefold(), visit.field("key").strip()
    limits, caller = limits_of_app(visit.request), address_of(visit.request.scope)
    try:
        succeeded = await limits.admit_log_in(caller, name or key)
    except ProblemRaised as refused:
        return _show(visit, status=429, fault=refused.fault)
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
    school, back = school_of(visit.request), safe_page(visit.query.get("next", ""))
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
    """In, for whom the school vouches and somebody invited; everybody else reads what to do.

    The page goes on by itself, since browsers send no strict cookie on a redirect from another site.
    """
    school, given = school_of(visit.request), visit.query
    logins, cookie = visit.platform.stores.oidc_logins, visit.request.cookies.get(_SCHOOL_COOKIE, "")
    login = await asyncio.to_thread(logins.use, given.get("state", ""), cookie)
    if login is None or "code" not in given:
        raise forbidden(Fault("person.no_school", reason=given.get("error", "expired")[:80]))
    word = await school.word(given["code"], login, _redirect_uri(visit), issuer=given.get("iss"))
    return await asyncio.to_thread(_by_school, visit, word, login.back)


def let_in(visit: PublicVisit, person: Person, response: Response) -> Response:
    """The response, which logs the person in under a new cookie; whoever was logged in is out."""
    stores = visit.platform.stores
    stores.console.close(visit.request.cookies.get(COOKIE, ""))
    stores.people.note_seen(person.id)
    cookie, _ = stores.console.open_person(person)
    set_cookie(response, visit.request, cookie)
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


def _as_person(visit: PublicVisit) -> Response:
    require_passwords(visit.platform)
    person = visit.platform.people.log_in(visit.field("email"), visit.field("password"))
    if person is None:
        return _show(visit, status=403, wrong="wrong_account")
    return let_in(visit, person, RedirectResponse(safe_page(visit.field("next")), status_code=303))


def _by_key(visit: PublicVisit) -> Response:
    stores = visit.platform.stores
    key = stores.keys.check(visit.field("key").strip())
    if key is None or key.role is not Role.INSTRUCTOR:
        return _show(visit, status=403, wrong="wrong_key")
    name = " ".join(visit.field("name").split())[:LONGEST_NAME]
    stores.console.close(visit.request.cookies.get(COOKIE, ""))
    cookie, _ = stores.console.open(key, name)
    home, back = f"/console/{key.course_id}/", visit.field("next")
    response = RedirectResponse(back if back.startswith(home) else f"{home}inbox", status_code=303)
    set_cookie(response, visit.request, cookie)
    return response


def _by_school(visit: PublicVisit, word: SchoolsWord, back: str) -> Response:
    person = visit.platform.people.log_in_by_school(word.issuer, word.subject, word.email)
    if person is None and word.email is not None and back.startswith(_INVITATIONS):
        person, back = _accept(visit.platform, word, word.email, back.removeprefix(_INVITATIONS))
    if person is None:
        return visit.page("uninvited.html", status=403, email=word.email)
    response = let_in(visit, person, visit.page("going_on.html", next=back))
    response.delete_cookie(_SCHOOL_COOKIE, path=SCHOOL)
    return response


def _accept(platform: Platform, word: SchoolsWord, email: str, secret: str) -> tuple[Person | None, str]:
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


def _show(
    visit: PublicVisit, *, back: str = "", status: int = 200, wrong: str = "", fault: Fault | None = None
) -> Response:
    """The log-in page; a form that failed is shown again, less its secrets."""
    return visit.page(
        "log_in.html",
        status=status,
        wrong=wrong,
        fault=fault,
        next=visit.field("next") or back,
        email=visit.field("email"),
        uses_passwords=uses_passwords(visit.platform),
    )
