"""Requests that were made before, by the digest of their key, and the replies they got."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import Connection, delete, insert, select, update

from services.store.rows import from_row
from services.store.tables import courses, sessions
from services.store.tables import idempotency_keys as table
from services.store.transactions import ClockedStore, written
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId, SessionId

LASTS = timedelta(hours=24)
HELD = timedelta(minutes=11)
"""How long a request may be at work, which is longer than a language model may be waited for; after that its
process is taken for dead, and another may begin."""


class InProgress(Conflict):
    """The first of these requests is still at work."""

    code = "request_in_progress"


class KeyReused(InvalidInput):
    """The key was used before for another request."""

    code = "idempotency_key_reused"


class ReplyNotKept(Conflict):
    """The request was done before, and its reply is not kept because it held a secret or was too long."""

    code = "reply_not_kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Attempt:
    """The right to do a request, once."""

    digest: str
    attempt: str


class SqlIdempotency(ClockedStore):
    """Lets each request be done once within `LASTS`; of a key only the digest is stored."""

    @written
    def begin(
        self, connection: Connection, digest: str, *, request_hash: str, course_id: CourseId | None
    ) -> Attempt | StoredReply:
        """The right to do this request, or the reply that it got before.

        `KeyReused` where the key came with another request, `InProgress` while the first is at work,
        `ReplyNotKept` where it is done and there is no reply to show. What has expired is dropped.
        """
        now = self._clock.now()
        attempt = Attempt(digest, secrets.token_hex(8))
        connection.execute(delete(table).where(table.c.expires_at <= now))
        found = connection.execute(select(table).filter_by(digest=digest)).one_or_none()
        row = {"attempt": attempt.attempt, "held_until": now + HELD}
        if found is None:
            owner = connection.execute(select(courses.c.id).filter_by(id=course_id)).scalar()
            fresh = {"request_hash": request_hash, "course_id": owner, "expires_at": now + LASTS}
            connection.execute(insert(table).values(digest=digest, **row, **fresh))
            return attempt
        if found.request_hash != request_hash:
            raise KeyReused(Fault("api.key_reused"), field="Idempotency-Key")
        if found.status is not None and found.body is None:
            raise ReplyNotKept(Fault("api.reply_not_kept"))
        if found.status is not None:
            return from_row(StoredReply, found)
        if found.held_until > now:
            raise InProgress(Fault("api.in_progress"))
        connection.execute(update(table).filter_by(digest=digest).values(row))
        return attempt

    @written
    def finish(
        self,
        connection: Connection,
        attempt: Attempt,
        reply: StoredReply,
        *,
        keep: bool = True,
        session_id: SessionId | None = None,
    ) -> None:
        """The request is done. With `keep` its reply is stored, until its session is removed."""
        owner = connection.execute(select(sessions.c.id).filter_by(id=session_id)).scalar()
        done = {"status": reply.status, "held_until": None, "session_id": owner}
        words = {"headers": dict(reply.headers), "body": reply.body} if keep else {}
        connection.execute(update(table).filter_by(**asdict(attempt)).values(done | words))

    def give_up(self, attempt: Attempt) -> None:
        """The request was not done, so it may be made again."""
        self._execute(delete(table).filter_by(**asdict(attempt)))
