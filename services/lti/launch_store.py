"""What LTI keeps for a while: log-ins, tickets, links to register by, and the visits of learners."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from services.lti.platform_store import LtiContext
from services.store.audit_log import Event, note
from services.store.rows import as_row, from_row
from services.store.store_secrets import TOKENS_BEGIN, VISIT_LASTS, BearerStore, digest_of, insert_expiring
from services.store.tables import learner_visits, lti_invitations, lti_logins, lti_tickets
from services.store.transactions import reading, write
from vta.types.courses import CourseId, PlatformId

LOGIN_LASTS = timedelta(minutes=10)
TICKET_LASTS = timedelta(minutes=30)
INVITATION_LASTS = timedelta(days=7)


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


class SqlLtiLaunches(BearerStore):
    """Keeps log-ins until their launch and tickets until they are used, at most for minutes."""

    def open_login(self, platform_id: PlatformId, storage_target: str) -> NewLogin:
        """A new log-in; what has expired is dropped."""
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
        """Whether the log-in was there still; of several that ask at once, one is told so."""
        return self._execute(delete(lti_logins).filter_by(state_digest=digest_of(state))) == 1

    def open_ticket(self, ticket: Ticket) -> str:
        """The text of a new ticket; what has expired is dropped."""
        return self._hand_out(
            lti_tickets,
            **as_row(ticket.context),
            instructor=ticket.instructor,
            is_assistant=ticket.is_assistant,
            deep_linking=None if ticket.deep_linking is None else asdict(ticket.deep_linking),
            expires_at=self._clock.now() + TICKET_LASTS,
        )

    def use_ticket(self, text: str) -> Ticket | None:
        """The ticket, which is gone now; None where it is unknown, used or expired."""
        return write(
            self._engine,
            lambda connection: _ticket(self._take(connection, lti_tickets, digest=digest_of(text))),
        )

    def ticket(self, text: str) -> Ticket | None:
        """The ticket, which can be used still."""
        with reading(self._engine) as connection:
            return _ticket(self._live(connection, lti_tickets, digest=digest_of(text)))


def _ticket(row: Row[Any] | None) -> Ticket | None:
    if row is None:
        return None
    links = DeepLinking(**row.deep_linking) if row.deep_linking else None
    return from_row(Ticket, row, context=from_row(LtiContext, row), deep_linking=links)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationLink:
    """What a platform that registers by a link is asked for: scopes of its services, beside the launch."""

    scopes: tuple[str, ...]


class SqlLtiInvitations(BearerStore):
    """Makes invitations, finds them by their text, and ends them."""

    def make(self, scopes: Sequence[str] = ()) -> str:
        """The text of a new invitation, good for `INVITATION_LASTS`; what has expired is dropped."""
        text, now = secrets.token_urlsafe(32), self._clock.now()
        row = {"digest": digest_of(text), "scopes": list(scopes), "expires_at": now + INVITATION_LASTS}

        def action(connection: Connection) -> None:
            insert_expiring(connection, lti_invitations, row, now)
            note(connection, Event.LTI_INVITED)

        write(self._engine, action)
        return text

    def use(self, text: str) -> RegistrationLink | None:
        """The invitation, which is gone now; None where it is unknown, used or expired."""

        def action(connection: Connection) -> RegistrationLink | None:
            row = self._take(connection, lti_invitations, digest=digest_of(text))
            return None if row is None else from_row(RegistrationLink, row)

        return write(self._engine, action)

    def give_back(self, text: str, invitation: RegistrationLink) -> None:
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


class SqlLearnerVisits(BearerStore):
    """Opens and finds visits, whose tokens are the secret texts."""

    def open(self, visit: LearnerVisit) -> str:
        """A new token, good for `VISIT_LASTS`; what has expired is dropped."""
        expires_at = self._clock.now() + VISIT_LASTS
        return self._hand_out(learner_visits, begins=TOKENS_BEGIN, **as_row(visit), expires_at=expires_at)

    def find(self, token: str, course_id: CourseId) -> LearnerVisit | None:
        """Whose token of this course it is; None for any other text, and for an expired one."""
        with reading(self._engine) as connection:
            row = self._live(connection, learner_visits, digest=digest_of(token), course_id=course_id)
        return None if row is None else from_row(LearnerVisit, row)
