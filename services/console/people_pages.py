"""The people of a course: who is in it, invitations, roles, and links to set a password."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi.responses import Response

from services.console.forms import action_of
from services.console.person_pages import ask_about_keys, uses_passwords
from services.console.visits import PageRouter, Visit, Visiting
from services.people.invitations import Maker
from services.people.sessions import Form, field
from services.people.store import LONGEST_EMAIL, LONGEST_NAME, CourseRole, PersonId, PlatformRole
from services.web.serving import public_address

router = PageRouter(prefix="/people")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A link that is shown this once: of an invitation, or for someone to set a password."""

    address: str
    of: str = ""
    """The person whose password it sets."""
    email: str = ""
    """The address of an invitation."""
    mailed: bool = False


@router.get("")
def show_people(visit: Visiting) -> Response:
    """The members and the invited people of the course."""
    return visit.page(
        "people.html",
        members=visit.platform.stores.memberships.members(visit.course_id),
        invitations=visit.platform.stores.invitations.waiting(visit.course_id),
        oneself=visit.who.session.person.id if visit.who.session.person else None,
        roles=tuple(CourseRole),
        link=None,
        done="done" in visit.query,
        can_mail=visit.platform.mail_worker.can_send,
        uses_passwords=uses_passwords(visit.platform),
        longest_name=LONGEST_NAME,
        longest_email=LONGEST_EMAIL,
    )


@router.form("/invite", show_people)
def invite(visit: Visiting) -> Response:
    """Make an invitation, whose link is shown this once and sent where an address is given."""
    name, email, by = visit.field("name"), visit.field("email").strip(), visit.who.name
    root = public_address(visit.platform, visit.request)
    secret = visit.platform.people.invite(_maker(visit), _role(visit.form), name=name, email=email, by=by)
    address = f"{root}/console/-/invitations/{secret}"
    mail_worker = visit.platform.mail_worker
    mailed = bool(email) and mail_worker.invite(visit.who.course, email, address=address, by=by)
    return show_people(visit.showing(link=NewLink(address=address, email=email, mailed=mailed)))


@router.post("/withdraw")
def withdraw(visit: Visiting) -> Response:
    """Let an invitation open nothing any more."""
    visit.platform.stores.invitations.withdraw(visit.course_id, visit.field("invitation"))
    return visit.to("people?done")


@router.form("/role", show_people)
def change_role(visit: Visiting) -> Response:
    """Give someone another role; before that of an assistant ends their keys, ask."""
    people, by, role = visit.platform.people, visit.who.session.person, _role(visit.form)
    if role is CourseRole.TA and (asked := _ask_about_keys(visit)):
        return asked
    people.change_role(visit.course_id, _person(visit.form), role, by=by)
    return visit.to("people?done")


@router.form("/remove", show_people)
def remove(visit: Visiting) -> Response:
    """Take someone out of the course, at once; before that ends their keys, ask."""
    if asked := _ask_about_keys(visit):
        return asked
    people, by = visit.platform.people, visit.who.session.person
    people.remove_member(visit.course_id, _person(visit.form), by=by)
    return visit.to("people?done")


@router.form("/password", show_people)
def make_password_link(visit: Visiting) -> Response:
    """Make a link by which someone sets a new password."""
    person = visit.platform.stores.people.person(_person(visit.form))
    root = public_address(visit.platform, visit.request)
    secret = visit.platform.people.make_password_link(_maker(visit), person.id)
    address = f"{root}/console/-/passwords/{secret}"
    return show_people(visit.showing(link=NewLink(address=address, of=person.name)))


def _ask_about_keys(visit: Visit) -> Response | None:
    """The page that asks whether to revoke the keys that someone made in the course."""
    person = visit.platform.stores.people.person(_person(visit.form))
    lost = () if person.role is PlatformRole.ADMIN else visit.platform.stores.keys.made_by(person.id)
    return ask_about_keys(visit, person, [each for each in lost if each.course_id == visit.course_id])


def _maker(visit: Visit) -> Maker:
    session, person = visit.who.session, visit.who.session.person
    return Maker(course_id=visit.course_id, person_id=person.id if person else None, key_id=session.key_id)


def _person(form: Form) -> PersonId:
    return PersonId(field(form, "person"))


def _role(form: Form) -> CourseRole:
    return CourseRole(action_of(form, tuple(CourseRole), "role"))
