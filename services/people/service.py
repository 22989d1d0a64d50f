"""Accounts and members of courses: log in, invite, join, change roles, set passwords."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from services.people.invitations import Maker
from services.people.store import LONGEST_NAME, CourseRole, Person, PersonId, PlatformRole, clean_email
from services.store.audit_log import Event
from services.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.types.courses import CourseId

SHORTEST = 10
LONGEST = 200
"""Characters; NIST SP 800-63B asks for length and for no rules of composition."""
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def digest_of_password(password: str) -> str:
    """The digest of a password; `InvalidInput` for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(Fault("person.password", least=SHORTEST, most=LONGEST), field="password")
    return _HASHER.hash(_bytes(password))


def is_password(password: str, digest: str | None) -> bool:
    """True for the password of a digest. Without a digest the check takes as long and fails."""
    try:
        known = _nobodys() if digest is None else digest
        return _HASHER.verify(known, _bytes(password)[: 4 * LONGEST]) and digest is not None
    except (VerificationError, InvalidHashError):
        return False


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", errors="replace")


@cache
def _nobodys() -> str:
    return _HASHER.hash(b"nobody's")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleService:
    """The people of one platform."""

    stores: Stores

    def log_in(self, email: str, password: str) -> Person | None:
        """Whose e-mail address and password these are; None for nobody's."""
        found = self.stores.people.with_password(email)
        if not is_password(password, found[1] if found else None) or found is None:
            self.note_refused(found[0] if found else None)
            return None
        return found[0]

    def note_refused(self, person: Person | None = None) -> None:
        """Record a refused log-in, maybe to the account of a person."""
        self.stores.audit_log.note(Event.LOG_IN_FAILED, person_id=person.id if person else None)

    def log_in_by_school(self, issuer: str, subject: str, email: str | None) -> Person | None:
        """The account bound to a school account; else that of its verified address, if bound to none.

        The latter is bound now: its password is removed and its sessions end.
        """
        person = self.stores.people.bound_to(issuer, subject)
        if person is None and email is not None:
            person = self.stores.people.find(email)
            if person is not None and person.is_bound:
                return None
            if person is not None:
                self.stores.people.bind(person.id, issuer, subject)
                self.stores.console.close_others(person.id, "")
        return None if person is None or person.disabled else person

    def invite(self, maker: Maker, role: CourseRole, *, name: str, email: str, by: str) -> str:
        """The secret of a link into a course; `email` binds it to one address, and may be empty."""
        address = clean_email(email) if email.strip() else ""
        name = " ".join(name.split())[:LONGEST_NAME]
        return self.stores.invitations.make(maker, role, name=name, email=address, by=by)

    def accept(self, secret: str, *, name: str, email: str, password: str) -> tuple[Person, CourseId]:
        """A new account in the course of an invitation."""
        digest = digest_of_password(password)
        person_id, course_id = self.stores.invitations.accept(secret, name=name, email=email, password=digest)
        return self.stores.people.person(person_id), course_id

    def accept_by_school(
        self, secret: str, *, issuer: str, subject: str, name: str, email: str
    ) -> tuple[Person, CourseId]:
        """A new account without a password, bound to the school's, in the course of an invitation.

        `NotFound` where the invitation is for another address.
        """
        if not self.stores.invitations.find(secret).is_for(clean_email(email)):
            raise NotFound(Fault("person.link_gone"))
        person_id, course_id = self.stores.invitations.accept(
            secret, name=name.strip()[:LONGEST_NAME] or email[:LONGEST_NAME], email=email, password=None
        )
        self.stores.people.bind(person_id, issuer, subject)
        return self.stores.people.person(person_id), course_id

    def change_role(
        self, course_id: CourseId, person_id: PersonId, role: CourseRole, *, by: Person | None
    ) -> None:
        """Change a role in a course; nobody changes their own, so a course keeps an instructor."""
        _not_oneself(person_id, by)
        self.stores.memberships.change(course_id, person_id, role)

    def remove_member(self, course_id: CourseId, person_id: PersonId, *, by: Person | None) -> None:
        """Remove a member at once; the account stays. Nobody removes themselves."""
        _not_oneself(person_id, by)
        self.stores.memberships.remove(course_id, person_id)

    def set_platform_role(self, person_id: PersonId, role: PlatformRole, *, by: Person) -> None:
        """Change a role on the platform; nobody changes their own, so it keeps an admin."""
        _not_oneself(person_id, by)
        self.stores.people.set_role(person_id, role)

    def set_disabled(self, person_id: PersonId, disabled: bool, *, by: Person) -> None:
        """Switch an account off or on; nobody switches off their own."""
        _not_oneself(person_id, by)
        self.stores.people.set_disabled(person_id, disabled)

    def make_password_link(self, maker: Maker, person_id: PersonId) -> str:
        """The secret of a link for a member of a course; `Conflict` where only an admin may make it."""
        if person_id not in {each.person.id for each in self.stores.memberships.members(maker.course_id)}:
            raise NotFound(Fault("person.no_member", person=person_id, course=maker.course_id))
        return self.stores.invitations.make_password_link(person_id, maker)

    def set_password(self, secret: str, password: str) -> Person:
        """Set the password of a link's person; the link is used up then."""
        person_id = self.stores.invitations.set_password(secret, digest_of_password(password))
        return self.stores.people.person(person_id)

    def change_password(self, person: Person, old: str, new: str, *, cookie: str) -> None:
        """Set one's own password; sessions of theirs under other cookies end."""
        if self.log_in(person.email, old) is None:
            raise InvalidInput(Fault("person.old_password"), field="old")
        self.stores.people.set_password(person.id, digest_of_password(new))
        self.stores.console.close_others(person.id, cookie)


def _not_oneself(person_id: PersonId, by: Person | None) -> None:
    if by is not None and by.id == person_id:
        raise Conflict(Fault("person.oneself"))
