"""Secrets that this store makes for itself, digests of bearer texts, and learners under pseudonyms."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, delete, insert, select

from services.store.tables import store_secrets
from services.store.transactions import ClockedStore, SqlStore, write
from vta.errors import NotReady
from vta.faults import Fault
from vta.types.courses import CourseId

VOUCHED = "visitor:"
"""Begins the pseudonym of a learner whom a platform vouches for."""
GIVEN = "learner:"
"""Begins the pseudonym of a learner whom someone named without a token or key."""
VISITOR_TOKENS = "visitor tokens"
"""The name of the secret behind both kinds of pseudonym."""
TOKENS_BEGIN = "vtl_"
"""Begins the token of a learner who came by a launch, which is good for `VISIT_LASTS`."""
VISIT_LASTS = timedelta(hours=4)


def digest_of(text: str) -> str:
    """SHA-256 in hexadecimal. Fit for texts of 256 random bits, not for passwords."""
    return sha256(text.encode("utf-8", errors="replace")).hexdigest()


class BearerStore(ClockedStore):
    """A store of the temporary rights of bearers of secret texts; it holds digests of the texts alone."""

    def _hand_out(self, table: Table, *, begins: str = "", **columns: object) -> str:
        """The secret text of a new row, which counts until its `expires_at`; what has expired is dropped."""
        text = begins + secrets.token_urlsafe(32)
        self._insert_expiring(table, {"digest": digest_of(text), **columns})
        return text

    def _insert_expiring(self, table: Table, row: Mapping[str, object]) -> None:
        write(self._engine, lambda connection: insert_expiring(connection, table, row, self._clock.now()))

    def _live(self, connection: Connection, table: Table, **key: str) -> Row[Any] | None:
        """The row of a key; None where there is none or it has expired."""
        row = connection.execute(select(table).filter_by(**key)).one_or_none()
        return None if row is None or row.expires_at <= self._clock.now() else row

    def _take(self, connection: Connection, table: Table, **key: str) -> Row[Any] | None:
        """The same, and it is gone then: of several that ask at once, one has it."""
        row = self._live(connection, table, **key)
        gone = connection.execute(delete(table).filter_by(**key)).rowcount
        return row if gone else None


def insert_expiring(connection: Connection, table: Table, row: Mapping[str, object], now: datetime) -> None:
    """Keep a row until its `expires_at`, and drop those that have expired."""
    connection.execute(delete(table).where(table.c.expires_at <= now))
    connection.execute(insert(table).values(row))


class SqlStoreSecrets(SqlStore):
    """Secrets by name; the first request makes one, and every process of a store has the same."""

    def secret(self, name: str) -> bytes:
        """256 random bits."""
        return bytes.fromhex(self.text(name, lambda: secrets.token_hex(32)))

    def text(self, name: str, make: Callable[[], str]) -> str:
        """A secret of another form; `make` is called only where there is none yet."""
        query = select(store_secrets.c.value).where(store_secrets.c.name == name)
        found = self._scalar(query)
        if found is not None:
            return str(found)
        made = make()

        def action(connection: Connection) -> str:
            earlier = connection.execute(query).scalar_one_or_none()
            if earlier is not None:
                return str(earlier)
            connection.execute(insert(store_secrets).values(name=name, value=made))
            return made

        return write(self._engine, action)


def visitor_pseudonym(secret: bytes, course_id: CourseId, learner_id: str, *, prefix: str = VOUCHED) -> str:
    """The pseudonym of a learner in a course, which reveals neither the id nor the learner elsewhere."""
    named = f"{len(course_id)}:{course_id}:{learner_id}".encode()
    return prefix + hmac.digest(secret, named, "sha256").hex()[:32]


class LearnerPseudonyms(SqlStore):
    """HMAC-SHA256 of course and learner under the store's own secret.

    The same learner has the same pseudonym in a course, another one in every other course, and another one
    in every other store.
    """

    def __init__(self, engine: Engine, kept: SqlStoreSecrets) -> None:
        super().__init__(engine)
        self._kept = kept
        self._secret: bytes | None = None

    def pseudonym(self, course_id: CourseId, learner_id: str) -> str:
        """64 hex digits; nobody without the secret can tell the learner from them.

        What is a pseudonym already, made at the authenticator, stays.
        """
        if learner_id.startswith((VOUCHED, GIVEN)):
            return learner_id
        return self.keyed(f"{course_id}\0{learner_id}")

    def names(self, course_id: CourseId, learner_id: str) -> tuple[str, ...]:
        """All stored names of a learner: as given, by a visitor, or by a platform."""
        known = self.pseudonym(course_id, learner_id)
        if known == learner_id:
            return (known,)
        secret = self._kept.secret(VISITOR_TOKENS)
        made = (
            visitor_pseudonym(secret, course_id, learner_id, prefix=prefix) for prefix in (VOUCHED, GIVEN)
        )
        return (known, *made)

    def unvouched_names(self, course_id: CourseId, learner_id: str) -> tuple[str, ...]:
        """The stored names of a learner whom no platform vouched for."""
        return tuple(name for name in self.names(course_id, learner_id) if not name.startswith(VOUCHED))

    def keyed(self, text: str) -> str:
        """The keyed digest of any text, in hex."""
        return hmac.digest(self._key(), text.encode(), "sha256").hex()

    def _key(self) -> bytes:
        if self._secret is None:
            value = self._scalar(select(store_secrets.c.value).filter_by(name="learners"))
            if value is None:
                raise NotReady(Fault("store.secret_lost"))
            self._secret = bytes.fromhex(value)
        return self._secret
