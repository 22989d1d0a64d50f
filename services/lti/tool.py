"""The tool of one platform: its key, how it names people, and what it asks learning platforms with."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Mapping
from typing import Annotated, Any

from joserfc import jwt
from joserfc.jwk import RSAKey

from knowledge.search.http_client import HttpClient
from services.lti.id_token import ALGORITHM
from services.lti.platform_keys import PlatformKeys
from services.lti.platform_store import LtiPlatform
from services.store.store_secrets import VISITOR_TOKENS, SqlStoreSecrets, visitor_pseudonym
from services.web.serving import part_of_app
from services.wiring import Platform
from vta.types.courses import CourseId

_BITS = 2048


class ToolKey:
    """The key pair, read once from the store, which makes it if need be, and cached in memory.

    Importing a private key takes 50 ms of processor time, and anyone may ask for the public one.
    """

    def __init__(self, kept: SqlStoreSecrets) -> None:
        self._kept = kept
        self._private: RSAKey | None = None

    def sign(self, claims: Mapping[str, Any], *, lasts_s: int) -> str:
        """A JWT with these claims, issued now."""
        key, now = self._key(), int(time.time())
        header = {"alg": ALGORITHM, "kid": key.kid, "typ": "JWT"}
        return jwt.encode(header, {**claims, "iat": now, "exp": now + lasts_s}, key)

    def _key(self) -> RSAKey:
        """The private key; its key id is its RFC 7638 thumbprint."""
        if self._private is None:
            key = RSAKey.import_key(json.loads(self._kept.text("LTI tool key", _make_key)))
            key.ensure_kid()
            self._private = key
        return self._private

    def public_keys(self) -> dict[str, Any]:
        """The JWK set that platforms fetch."""
        public = self._key().as_dict(private=False)
        return {"keys": [public | {"alg": "RS256", "use": "sig"}]}


def instructor_name(kept: SqlStoreSecrets, known: LtiPlatform, subject: str) -> str:
    """The pseudonym of an instructor in the console and the histories.

    HMAC-SHA256 of platform and subject under a secret of this store, cut to 32 bits.
    """
    named = person(known, subject).encode()
    return "LTI " + hmac.digest(kept.secret("LTI instructors"), named, "sha256").hex()[:8]


def person(known: LtiPlatform, subject: str) -> str:
    """The name of a learner in requests to erase or export; never stored."""
    return f"lti:{known.id}:{subject}"


def _make_key() -> str:
    return json.dumps(RSAKey.generate_key(_BITS).as_dict(private=True))


class Tool:
    """The key of this server, and its client of learning platforms."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.own_key = ToolKey(platform.stores.secrets)
        self.outgoing = HttpClient(private_addresses=platform.settings.lti_private_addresses)
        self.keys = PlatformKeys(self.outgoing)
        self._visitors = platform.stores.secrets.secret(VISITOR_TOKENS)

    def pseudonym(self, course_id: CourseId, known: LtiPlatform, subject: str) -> str:
        """The pseudonym in a course of a learner by the platform's own id."""
        return visitor_pseudonym(self._visitors, course_id, person(known, subject))


ThisTool = Annotated[Tool, part_of_app(lambda parts: parts.lti)]
