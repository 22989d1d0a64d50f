"""What a log-in through the school needs between its two steps, at most for minutes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage.digests import digest_of
from services.storage.tables import oidc_logins as table
from services.storage.transactions import write
from vta.ports import Clock

LASTS = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcLogin:
    """A log-in on its way: `state` and `nonce` go to the school, `browser` to the browser, `verifier` nowhere
    until the school's word is fetched (RFC 7636). `back` is the page to show afterwards."""

    state: str
    nonce: str
    browser: str
    verifier: str
    back: str


class SqlOidcLogins:
    """Keeps log-ins until the school's word on them comes; of state and browser secret only digests."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def open(self, back: str) -> OidcLogin:
        """A new log-in; what has expired is dropped."""
        state, nonce, browser, verifier = (secrets.token_urlsafe(32) for _ in range(4))
        now = self._clock.now()
        row = {
            "state_digest": digest_of(state),
            "browser_digest": digest_of(browser),
            "nonce": nonce,
            "verifier": verifier,
            "back": back,
            "expires_at": now + LASTS,
        }

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            connection.execute(insert(table).values(row))

        write(self._engine, action)
        return OidcLogin(state=state, nonce=nonce, browser=browser, verifier=verifier, back=back)

    def use(self, state: str, browser: str) -> OidcLogin | None:
        """The log-in of a state, which is gone now; None where it is unknown, used, expired or another
        browser's."""
        query = select(table).where(table.c.state_digest == digest_of(state))

        def action(connection: Connection) -> OidcLogin | None:
            row = connection.execute(query).one_or_none()
            if row is None or row.browser_digest != digest_of(browser):
                return None
            gone = connection.execute(delete(table).where(table.c.state_digest == digest_of(state)))
            if not gone.rowcount or row.expires_at <= self._clock.now():
                return None
            return OidcLogin(
                state=state, nonce=row.nonce, browser=browser, verifier=row.verifier, back=row.back
            )

        return write(self._engine, action)
