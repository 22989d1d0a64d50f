"""The people of a course: who is in it, invitations, roles, and links to set a password."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi.responses import Response

from services.console.log_in_pages import uses_passwords
from services.console.visits import Visit, Visiting
from services.http.problems import bad_request
from services.http.serving import ThreadedRouter, public_address
from services.identity.instructor_sessions import Form, field
from services.storage.invitations import Maker
from services.storage.people import LONGEST_EMAIL, LONGEST_NAME, CourseRole, PersonId
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault

router = ThreadedRouter(prefix="/people")


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
def show_people(visit: Visiting) -> Response:
    """Who is in the course, and who is invited."""
    return _show(visit)


@router.post("/invite")
def invite(visit: Visiting) -> Response:
    """Make an invitation, whose link is shown this once and sent where an address is given."""
    name, email, by = visit.field("name"), visit.field("email").strip(), visit.who.name
    try:
        root = public_address(visit.platform, visit.request)
        secret = visit.platform.people.invite(_maker(visit), _role(visit.form), name=name, email=email, by=by)
    except (Conflict, InvalidInput) as error:
        return _show(visit, error=error)
    address = f"{root}/console/-/invitations/{secret}"
    postman = visit.platform.postman
    mailed = bool(email) and postman.invite(visit.who.course, email, address=address, by=by)
    return _show(visit, link=NewLink(address=address, email=email, mailed=mailed))


@router.post("/withdraw")
def withdraw(visit: Visiting) -> Response:
    """Let an invitation open nothing any more."""
    visit.platform.stores.invitations.withdraw(visit.course_id, visit.field("invitation"))
    return visit.to("people?done")


@router.post("/role")
def change_role(visit: Visiting) -> Response:
    """Give someone another role."""
    people, by = visit.platform.people, visit.who.session.person
    person, role = _person(visit.form), _role(visit.form)
    return _carry_out(visit, lambda: people.change_role(visit.course_id, person, role, by=by))


@router.post("/remove")
def remove(visit: Visiting) -> Response:
    """Take someone out of the course, at once."""
    people, by, person = visit.platform.people, visit.who.session.person, _person(visit.form)
    return _carry_out(visit, lambda: people.remove_member(visit.course_id, person, by=by))


@router.post("/password")
def make_password_link(visit: Visiting) -> Response:
    """Make a link by which someone sets a new password."""
    person = visit.platform.stores.people.person(_person(visit.form))
    try:
        root = public_address(visit.platform, visit.request)
        secret = visit.platform.people.make_password_link(_maker(visit), person.id)
    except Conflict as error:
        return _show(visit, error=error)
    address = f"{root}/console/-/passwords/{secret}"
    return _show(visit, link=NewLink(address=address, of=person.name))


def _carry_out(visit: Visit, change: Callable[[], None]) -> Response:
    try:
        change()
    except Conflict as error:
        return _show(visit, error=error)
    return visit.to("people?done")


def _show(
    visit: Visit, *, link: NewLink | None = None, error: Conflict | InvalidInput | None = None
) -> Response:
    members = visit.platform.stores.memberships.members(visit.course_id)
    return visit.page(
        "people.html",
        members=members,
        invitations=visit.platform.stores.invitations.waiting(visit.course_id),
        oneself=visit.who.session.person.id if visit.who.session.person else None,
        roles=tuple(CourseRole),
        link=link,
        done="done" in visit.query,
        fault=error,
        can_mail=visit.platform.postman.can_send,
        uses_passwords=uses_passwords(visit.platform),
        longest_name=LONGEST_NAME,
        longest_email=LONGEST_EMAIL,
    )


def _maker(visit: Visit) -> Maker:
    session, person = visit.who.session, visit.who.session.person
    return Maker(course_id=visit.course_id, person_id=person.id if person else None, key_id=session.key_id)


def _person(form: Form) -> PersonId:
    return PersonId(field(form, "person"))


def _role(form: Form) -> CourseRole:
    """The role that was chosen; 400 for none, so that nobody gets one by mistake."""
    role = field(form, "role")
    if role not in set(CourseRole):
        raise bad_request(Fault("console.no_action"))
    return CourseRole(role)
