"""Learners under pseudonyms: what the store keeps in place of a platform's ids."""

from __future__ import annotations

import hmac

from sqlalchemy import Engine, select

from services.storage.tables import store_secrets
from services.storage.transactions import reading
from vta.errors import NotReady
from vta.types import CourseId


class LearnerPseudonyms:
    """HMAC-SHA256 of course and learner under the store's own secret.

    The same learner has the same pseudonym in a course, another one in every other course, and another one
    in every other store.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._secret: bytes | None = None

    def pseudonym(self, course_id: CourseId, learner_id: str) -> str:
        """64 hex digits; nobody without the secret can tell the learner from them."""
        return self.keyed(f"{course_id}\0{learner_id}")

    def keyed(self, text: str) -> str:
        """The keyed digest of any text, in hex."""
        return hmac.digest(self._key(), text.encode(), "sha256").hex()

    def _key(self) -> bytes:
        if self._secret is None:
            query = select(store_secrets.c.value).where(store_secrets.c.name == "learners")
            with reading(self._engine) as connection:
                value = connection.execute(query).scalar_one_or_none()
            if value is None:
                raise NotReady("the store has lost the secret of its learners' pseudonyms")
            self._secret = bytes.fromhex(value)
        return self._secret
