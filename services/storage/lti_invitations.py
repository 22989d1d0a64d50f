"""Links by which a platform may register itself: secret, for one use, and for days."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage.digests import digest_of
from services.storage.tables import lti_invitations as table
from services.storage.transactions import reading, write
from vta.ports import Clock

LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a platform that registers by a link is asked for: scopes of its services, beside the launch."""

    scopes: tuple[str, ...]


class SqlLtiInvitations:
    """Makes invitations, finds them by their text, and ends them; the store keeps digests."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def make(self, scopes: Sequence[str] = ()) -> str:
        """The text of a new invitation, good for `LASTS`; what has expired is dropped."""
        text, now = secrets.token_urlsafe(32), self._clock.now()
        row = {"digest": digest_of(text), "scopes": list(scopes), "expires_at": now + LASTS}

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            connection.execute(insert(table).values(row))

        write(self._engine, action)
        return text

    def use(self, text: str) -> Invitation | None:
        """The invitation, which is gone now; None where it is unknown, used or expired."""
        mine = table.c.digest == digest_of(text)

        def action(connection: Connection) -> Invitation | None:
            row = connection.execute(select(table).where(mine)).one_or_none()
            gone = connection.execute(delete(table).where(mine)).rowcount
            if row is None or not gone or row.expires_at <= self._clock.now():
                return None
            return Invitation(scopes=tuple(row.scopes))

        return write(self._engine, action)

    def give_back(self, text: str, invitation: Invitation) -> None:
        """Let an invitation serve again whose registration failed, for as long as a new one."""
        expires_at = self._clock.now() + LASTS
        row = {"digest": digest_of(text), "scopes": list(invitation.scopes), "expires_at": expires_at}
        write(self._engine, lambda connection: connection.execute(insert(table).values(row)))

    def waiting(self) -> int:
        """How many links can still be used."""
        query = select(table.c.digest).where(table.c.expires_at > self._clock.now())
        with reading(self._engine) as connection:
            return len(connection.execute(query).all())
