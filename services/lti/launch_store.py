"""LTI rows with an end: log-ins, tickets, registration links, and the visits of learners."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from services.lti.platform_store import LtiContext
from services.store.audit_log import Event, note
from services.store.rows import as_row, from_row
from services.store.store_secrets import TOKENS_BEGIN, VISIT_LASTS, BearerStore, digest_of, insert_expiring
from services.store.tables import learner_visits, lti_invitations, lti_logins, lti_tickets
from services.store.transactions import reading, written
from vta.types.courses import CourseId, PlatformId

LOGIN_LASTS = timedelta(minutes=10)
TICKET_LASTS = timedelta(minutes=30)
INVITATION_LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLogin:
    """The secrets of a new log-in: `state` and `nonce` for the platform, `browser` for the browser."""

    state: str
    nonce: str
    browser: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingLogin:
    """A log-in without a launch yet; the store holds only digests of its three secrets."""

    platform_id: PlatformId
    browser_digest: str
    nonce_digest: str
    storage_target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepLinking:
    """The address for the chosen link, and the platform's own data that is returned with it."""

    return_url: str
    data: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A launch of an instructor or teaching assistant, with their name in the console."""

    context: LtiContext
    instructor: str
    is_assistant: bool
    deep_linking: DeepLinking | None = None
    """Present in a launch that asks for a link."""


class SqlLtiLaunches(BearerStore):
    """Stores log-ins until their launch and tickets until their use, for minutes at most."""

    def open_login(self, platform_id: PlatformId, storage_target: str) -> NewLogin:
        """Store a new log-in and delete expired ones."""
        login = NewLogin(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            browser=secrets.token_urlsafe(32),
        )
        row = {
            "state_digest": digest_of(login.state),
            "browser_digest": digest_of(login.browser),
            "nonce_digest": digest_of(login.nonce),
            "platform_id": platform_id,
            "storage_target": storage_target,
            "expires_at": self._clock.now() + LOGIN_LASTS,
        }
        self._insert_expiring(lti_logins, row)
        return login

    def login(self, state: str) -> PendingLogin | None:
        """The log-in of a state; None where it is unknown, used or expired."""
        with reading(self._engine) as connection:
            row = self._live(connection, lti_logins, state_digest=digest_of(state))
        return None if row is None else from_row(PendingLogin, row)

    def use_login(self, state: str) -> bool:
        """Delete a log-in; True for the one caller whose call deleted it."""
        return self._execute(delete(lti_logins).filter_by(state_digest=digest_of(state))) == 1

    def open_ticket(self, ticket: Ticket) -> str:
        """Store a new ticket, delete expired ones, and return its secret."""
        return self._hand_out(
            lti_tickets,
            **as_row(ticket.context),
            instructor=ticket.instructor,
            is_assistant=ticket.is_assistant,
            deep_linking=None if ticket.deep_linking is None else asdict(ticket.deep_linking),
            expires_at=self._clock.now() + TICKET_LASTS,
        )

    @written
    def use_ticket(self, connection: Connection, text: str) -> Ticket | None:
        """Delete a ticket and return it; None where it is unknown, used or expired."""
        return _ticket(self._take(connection, lti_tickets, digest=digest_of(text)))

    def ticket(self, text: str) -> Ticket | None:
        """A ticket, which stays usable; None as in `use_ticket`."""
        with reading(self._engine) as connection:
            return _ticket(self._live(connection, lti_tickets, digest=digest_of(text)))


def _ticket(row: Row[Any] | None) -> Ticket | None:
    if row is None:
        return None
    links = DeepLinking(**row.deep_linking) if row.deep_linking else None
    return from_row(Ticket, row, context=from_row(LtiContext, row), deep_linking=links)


class SqlLtiInvitations(BearerStore):
    """Links by which platforms register."""

    @written
    def make(self, connection: Connection) -> str:
        """The secret of a new link, valid for `INVITATION_LASTS`; expired links are deleted."""
        text, now = secrets.token_urlsafe(32), self._clock.now()
        row = {"digest": digest_of(text), "expires_at": now + INVITATION_LASTS}
        insert_expiring(connection, lti_invitations, row, now)
        note(connection, Event.LTI_INVITED)
        return text

    @written
    def use(self, connection: Connection, text: str) -> bool:
        """Delete a link; False where it is unknown, used or expired."""
        return self._take(connection, lti_invitations, digest=digest_of(text)) is not None

    def give_back(self, text: str) -> None:
        """Restore a link whose registration failed, for another `INVITATION_LASTS`."""
        expires_at = self._clock.now() + INVITATION_LASTS
        self._execute(insert(lti_invitations).values(digest=digest_of(text), expires_at=expires_at))

    def waiting(self) -> int:
        """The number of usable links."""
        query = select(lti_invitations.c.digest).where(lti_invitations.c.expires_at > self._clock.now())
        return len(self._rows(query))


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerVisit:
    """A launched learner in one course, under their pseudonym there."""

    course_id: CourseId
    learner_id: str
    platform_id: PlatformId


class SqlLearnerVisits(BearerStore):
    """Opens and finds visits by their tokens."""

    def open(self, visit: LearnerVisit) -> str:
        """The token of a new visit, valid for `VISIT_LASTS`; expired visits are deleted."""
        expires_at = self._clock.now() + VISIT_LASTS
        return self._hand_out(learner_visits, begins=TOKENS_BEGIN, **as_row(visit), expires_at=expires_at)

    def find(self, token: str, course_id: CourseId) -> LearnerVisit | None:
        """The visit of a token of this course; None for an unknown or expired one."""
        with reading(self._engine) as connection:
            row = self._live(connection, learner_visits, digest=digest_of(token), course_id=course_id)
        return None if row is None else from_row(LearnerVisit, row)
