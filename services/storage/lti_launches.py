"""What LTI keeps for a while: log-ins, tickets, links to register by, and the visits of learners."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import Connection, delete, insert, select

from services.storage.lti_platforms import LtiContext, PlatformId
from services.storage.rows import as_row, from_row
from services.storage.store_secrets import digest_of
from services.storage.tables import learner_visits, lti_invitations, lti_logins, lti_tickets
from services.storage.transactions import ClockedStore, reading, write
from vta.types import CourseId

LOGIN_LASTS = timedelta(minutes=10)
TICKET_LASTS = timedelta(minutes=30)
INVITATION_LASTS = timedelta(days=7)
VISIT_LASTS = timedelta(hours=4)
TOKENS_BEGIN = "vtl_"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLogin:
    """What a log-in sends on its way: `state` and `nonce` to the platform, `browser` to the browser."""

    state: str
    nonce: str
    browser: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingLogin:
    """A log-in that waits for its launch; only digests of its three texts are kept."""

    platform_id: PlatformId
    browser_digest: str
    nonce_digest: str
    storage_target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepLinking:
    """Where a link to us is to be sent, and the platform's own mark that must come back with it."""

    return_url: str
    data: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """An instructor's or a teaching assistant's launch: of which context, and what the console calls them."""

    context: LtiContext
    instructor: str
    is_assistant: bool
    deep_linking: DeepLinking | None = None
    """Where their link goes, in a launch that asks for one."""


class SqlLtiLaunches(ClockedStore):
    """Keeps log-ins until their launch and tickets until they are used, at most for minutes."""

    def open_login(self, platform_id: PlatformId, storage_target: str) -> NewLogin:
        """A new log-in; what has expired is dropped."""
        login = NewLogin(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            browser=secrets.token_urlsafe(32),
        )
        now = self._clock.now()
        row = {
            "state_digest": digest_of(login.state),
            "browser_digest": digest_of(login.browser),
            "nonce_digest": digest_of(login.nonce),
            "platform_id": platform_id,
            "storage_target": storage_target,
            "expires_at": now + LOGIN_LASTS,
        }

        self._insert_expiring(lti_logins, row)
        return login

    def login(self, state: str) -> PendingLogin | None:
        """The log-in of a state; None where it is unknown, used or expired."""
        query = select(lti_logins).where(lti_logins.c.state_digest == digest_of(state))
        row = self._row(query)
        if row is None or row.expires_at <= self._clock.now():
            return None
        return from_row(PendingLogin, row)

    def use_login(self, state: str) -> bool:
        """Whether the log-in was there still; of several that ask at once, one is told so."""
        query = delete(lti_logins).where(lti_logins.c.state_digest == digest_of(state))
        return self._execute(query) == 1

    def open_ticket(self, ticket: Ticket) -> str:
        """The text of a new ticket; what has expired is dropped."""
        text, now = secrets.token_urlsafe(32), self._clock.now()
        row = {
            "digest": digest_of(text),
            **as_row(ticket.context),
            "instructor": ticket.instructor,
            "is_assistant": ticket.is_assistant,
            "deep_linking": None if ticket.deep_linking is None else asdict(ticket.deep_linking),
            "expires_at": now + TICKET_LASTS,
        }

        self._insert_expiring(lti_tickets, row)
        return text

    def use_ticket(self, text: str) -> Ticket | None:
        """The ticket, which is gone now; None where it is unknown, used or expired."""

        def action(connection: Connection) -> Ticket | None:
            ticket = self._ticket(connection, text)
            gone = connection.execute(delete(lti_tickets).where(lti_tickets.c.digest == digest_of(text)))
            return ticket if gone.rowcount else None

        return write(self._engine, action)

    def ticket(self, text: str) -> Ticket | None:
        """The ticket, which can be used still."""
        with reading(self._engine) as connection:
            return self._ticket(connection, text)

    def _ticket(self, connection: Connection, text: str) -> Ticket | None:
        query = select(lti_tickets).where(lti_tickets.c.digest == digest_of(text))
        row = connection.execute(query).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            return None
        links = DeepLinking(**row.deep_linking) if row.deep_linking else None
        return from_row(Ticket, row, context=from_row(LtiContext, row), deep_linking=links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a platform that registers by a link is asked for: scopes of its services, beside the launch."""

    scopes: tuple[str, ...]


class SqlLtiInvitations(ClockedStore):
    """Makes invitations, finds them by their text, and ends them; the store keeps digests."""

    def make(self, scopes: Sequence[str] = ()) -> str:
        """The text of a new invitation, good for `INVITATION_LASTS`; what has expired is dropped."""
        text, now = secrets.token_urlsafe(32), self._clock.now()
        row = {"digest": digest_of(text), "scopes": list(scopes), "expires_at": now + INVITATION_LASTS}

        self._insert_expiring(lti_invitations, row)
        return text

    def use(self, text: str) -> Invitation | None:
        """The invitation, which is gone now; None where it is unknown, used or expired."""
        mine = lti_invitations.c.digest == digest_of(text)

        def action(connection: Connection) -> Invitation | None:
            row = connection.execute(select(lti_invitations).where(mine)).one_or_none()
            gone = connection.execute(delete(lti_invitations).where(mine)).rowcount
            if row is None or not gone or row.expires_at <= self._clock.now():
                return None
            return from_row(Invitation, row)

        return write(self._engine, action)

    def give_back(self, text: str, invitation: Invitation) -> None:
        """Let an invitation serve again whose registration failed, for as long as a new one."""
        expires_at = self._clock.now() + INVITATION_LASTS
        row = {"digest": digest_of(text), "scopes": list(invitation.scopes), "expires_at": expires_at}
        self._execute(insert(lti_invitations).values(row))

    def waiting(self) -> int:
        """How many links can still be used."""
        query = select(lti_invitations.c.digest).where(lti_invitations.c.expires_at > self._clock.now())
        return len(self._rows(query))


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerVisit:
    """A learner in one course, under their pseudonym there, for whom a platform vouched."""

    course_id: CourseId
    learner_id: str
    platform_id: PlatformId


class SqlLearnerVisits(ClockedStore):
    """Opens and finds visits. The store keeps a digest of the token, never the token."""

    def open(self, visit: LearnerVisit) -> str:
        """A new token, good for `VISIT_LASTS`; what has expired is dropped."""
        token, now = TOKENS_BEGIN + secrets.token_urlsafe(32), self._clock.now()
        row = {
            "digest": digest_of(token),
            **as_row(visit),
            "expires_at": now + VISIT_LASTS,
        }

        self._insert_expiring(learner_visits, row)
        return token

    def find(self, token: str, course_id: CourseId) -> LearnerVisit | None:
        """Whose token of this course it is; None for any other text, and for an expired one."""
        query = select(learner_visits).where(
            learner_visits.c.digest == digest_of(token), learner_visits.c.course_id == course_id
        )
        row = self._row(query)
        if row is None or row.expires_at <= self._clock.now():
            return None
        return from_row(LearnerVisit, row)
