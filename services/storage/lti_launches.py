"""What one launch needs between its steps: the log-in it answers, and an instructor's ticket after it."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage.digests import digest_of
from services.storage.lti_platforms import LtiContext, PlatformId
from services.storage.rows import as_row, from_row
from services.storage.tables import lti_logins, lti_tickets
from services.storage.transactions import reading, write
from vta.ports import Clock

LOGIN_LASTS = timedelta(minutes=10)
TICKET_LASTS = timedelta(minutes=30)


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


class SqlLtiLaunches:
    """Keeps log-ins until their launch and tickets until they are used, at most for minutes."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

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

        def action(connection: Connection) -> None:
            connection.execute(delete(lti_logins).where(lti_logins.c.expires_at <= now))
            connection.execute(insert(lti_logins).values(row))

        write(self._engine, action)
        return login

    def login(self, state: str) -> PendingLogin | None:
        """The log-in of a state; None where it is unknown, used or expired."""
        query = select(lti_logins).where(lti_logins.c.state_digest == digest_of(state))
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            return None
        return from_row(PendingLogin, row)

    def use_login(self, state: str) -> bool:
        """Whether the log-in was there still; of several that ask at once, one is told so."""
        query = delete(lti_logins).where(lti_logins.c.state_digest == digest_of(state))
        return write(self._engine, lambda connection: connection.execute(query).rowcount) == 1

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

        def action(connection: Connection) -> None:
            connection.execute(delete(lti_tickets).where(lti_tickets.c.expires_at <= now))
            connection.execute(insert(lti_tickets).values(row))

        write(self._engine, action)
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
        return Ticket(
            context=from_row(LtiContext, row),
            instructor=row.instructor,
            is_assistant=row.is_assistant,
            deep_linking=DeepLinking(**row.deep_linking) if row.deep_linking else None,
        )
