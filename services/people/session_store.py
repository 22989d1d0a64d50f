"""The sessions of the console, and the log-ins through the school that open one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, select

from services.people.key_store import is_valid
from services.people.store import Person, PersonId, to_person
from services.store import tables
from services.store.audit_log import Actor, ActorKind, Event, note
from services.store.rows import from_row
from services.store.store_secrets import BearerStore, digest_of, insert_expiring
from services.store.tables import oidc_logins
from services.store.transactions import reading, written
from vta.types.courses import CourseId, KeyId, PlatformId

SESSION_LASTS = timedelta(hours=12)
OIDC_LOGIN_LASTS = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSession:
    """An instructor who is logged in; `csrf` must come back with every write of theirs.

    A person is logged in to all courses of theirs, so `course_id` is None for them alone. Others are in one
    course: by a key, or, without a `key_id`, by a launch from an LTI platform, maybe as a teaching assistant.
    """

    course_id: CourseId | None
    key_id: KeyId | None
    name: str
    csrf: str
    expires_at: datetime
    is_assistant: bool = False
    person: Person | None = None

    @property
    def actor(self) -> Actor:
        """The actor of the session, for the audit log."""
        if self.person is not None:
            return Actor(kind=ActorKind.PERSON, id=self.person.id, name=self.person.name)
        kind = ActorKind.KEY if self.key_id else ActorKind.LAUNCH
        return Actor(kind=kind, id=self.key_id, name=self.name)


class SqlConsoleSessions(BearerStore):
    """Opens, finds and closes sessions, whose cookies are the secret texts."""

    @written
    def open(
        self,
        connection: Connection,
        course_id: CourseId | None,
        name: str,
        *,
        key_id: KeyId | None = None,
        platform_id: PlatformId | None = None,
        person: Person | None = None,
        is_assistant: bool = False,
    ) -> tuple[str, ConsoleSession]:
        """A new session: of a key's bearer, of whom an LTI platform vouched for, or of a person everywhere.

        It ends with the key, the platform or the account.
        """
        cookie, now = secrets.token_urlsafe(32), self._clock.now()
        kept: dict[str, Any] = {
            "course_id": course_id,
            "key_id": key_id,
            "name": name,
            "csrf": secrets.token_urlsafe(32),
            "expires_at": now + SESSION_LASTS,
            "is_assistant": is_assistant,
        }
        session = ConsoleSession(person=person, **kept)
        person_id = person.id if person else None
        row = {"digest": digest_of(cookie), "platform_id": platform_id, "person_id": person_id, **kept}
        insert_expiring(connection, tables.console_sessions, row, now)
        note(connection, Event.LOG_IN, course_id=course_id, actor=session.actor)
        return cookie, session

    def find(self, cookie: str) -> ConsoleSession | None:
        """The session of a cookie; None where it has expired, its key was revoked or its person disabled."""
        table, keys, people = tables.console_sessions, tables.course_keys, tables.people
        query = (
            select(table)
            .join(keys, keys.c.id == table.c.key_id, isouter=True)
            .where(table.c.digest == digest_of(cookie), is_valid(self._clock.now()))
        )
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
            if row is None or row.expires_at <= self._clock.now():
                return None
            whose = select(people).where(people.c.id == row.person_id)
            account = connection.execute(whose).one_or_none() if row.person_id else None
        if account is not None and account.disabled:
            return None
        person = None if account is None else to_person(account)
        return from_row(ConsoleSession, row, name=person.name if person else row.name, person=person)

    def close_others(self, person_id: PersonId, cookie: str) -> None:
        """Forget all sessions of a person but that of a cookie."""
        table = tables.console_sessions
        query = delete(table).where(table.c.person_id == person_id, table.c.digest != digest_of(cookie))
        self._execute(query)

    def close(self, cookie: str) -> None:
        """Forget the session of a cookie, if there is one."""
        self._execute(delete(tables.console_sessions).filter_by(digest=digest_of(cookie)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcLogin:
    """A log-in through the school.

    `state` and `nonce` go to the school, `browser` to the browser; `verifier` stays here until the code is
    exchanged (RFC 7636). `back` is the page to show afterwards.
    """

    state: str
    nonce: str
    browser: str
    verifier: str
    back: str


class SqlOidcLogins(BearerStore):
    """Stores log-ins until the school answers; of state and browser secret only digests."""

    def open(self, back: str) -> OidcLogin:
        """A new log-in; what has expired is dropped."""
        state, nonce, browser, verifier = (secrets.token_urlsafe(32) for _ in range(4))
        row = {
            "state_digest": digest_of(state),
            "browser_digest": digest_of(browser),
            "nonce": nonce,
            "verifier": verifier,
            "back": back,
            "expires_at": self._clock.now() + OIDC_LOGIN_LASTS,
        }
        self._insert_expiring(oidc_logins, row)
        return OidcLogin(state=state, nonce=nonce, browser=browser, verifier=verifier, back=back)

    @written
    def use(self, connection: Connection, state: str, browser: str) -> OidcLogin | None:
        """Delete the log-in of a state and return it.

        None where it is unknown, used, expired or another browser's.
        """
        digests = {"state_digest": digest_of(state), "browser_digest": digest_of(browser)}
        row = self._take(connection, oidc_logins, **digests)
        return None if row is None else from_row(OidcLogin, row, state=state, browser=browser)
