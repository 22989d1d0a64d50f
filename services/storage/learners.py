"""Learners under pseudonyms: what the store keeps in place of a platform's ids."""

from __future__ import annotations

import hmac

from sqlalchemy import Engine, select

from services.storage.store_secrets import SqlStoreSecrets
from services.storage.tables import store_secrets
from services.storage.transactions import reading
from vta.errors import NotReady
from vta.faults import Fault
from vta.types import CourseId

VOUCHED = "visitor:"
"""Begins the pseudonym of a learner whom a platform vouches for."""
GIVEN = "learner:"
"""Begins the pseudonym of a learner whom someone named without a token or key."""
VISITOR_TOKENS = "visitor tokens"
"""What the secret is for that these two are made with."""


def visitor_pseudonym(secret: bytes, course_id: CourseId, learner_id: str, *, prefix: str = VOUCHED) -> str:
    """The same for the same learner of a course; tells neither the id nor the learner elsewhere."""
    named = f"{len(course_id)}:{course_id}:{learner_id}".encode()
    return prefix + hmac.digest(secret, named, "sha256").hex()[:32]


class LearnerPseudonyms:
    """HMAC-SHA256 of course and learner under the store's own secret.

    The same learner has the same pseudonym in a course, another one in every other course, and another one
    in every other store.
    """

    def __init__(self, engine: Engine, kept: SqlStoreSecrets) -> None:
        self._engine = engine
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
        """All names under which a learner may be kept: as given, by a visitor, or by a platform."""
        known = self.pseudonym(course_id, learner_id)
        if known == learner_id:
            return (known,)
        secret = self._kept.secret(VISITOR_TOKENS)
        made = (
            visitor_pseudonym(secret, course_id, learner_id, prefix=prefix) for prefix in (VOUCHED, GIVEN)
        )
        return (known, *made)

    def unvouched_names(self, course_id: CourseId, learner_id: str) -> tuple[str, ...]:
        """The names under which a learner is kept whom no platform vouched for."""
        return tuple(name for name in self.names(course_id, learner_id) if not name.startswith(VOUCHED))

    def keyed(self, text: str) -> str:
        """The keyed digest of any text, in hex."""
        return hmac.digest(self._key(), text.encode(), "sha256").hex()

    def _key(self) -> bytes:
        if self._secret is None:
            query = select(store_secrets.c.value).where(store_secrets.c.name == "learners")
            with reading(self._engine) as connection:
                value = connection.execute(query).scalar_one_or_none()
            if value is None:
                raise NotReady(Fault("store.secret_lost"))
            self._secret = bytes.fromhex(value)
        return self._secret
