"""The tool's own key pair, and the secret behind learners' pseudonyms: made once for a store."""

from __future__ import annotations

import hmac
import json
import secrets
from hashlib import sha256
from typing import Any

from joserfc.jwk import RSAKey

from services.storage.store_secrets import SqlStoreSecrets

_BITS = 2048
LEARNER_PREFIX = "lti:"


def tool_key(kept: SqlStoreSecrets) -> RSAKey:
    """The private key that signs what the tool sends; its key id is its RFC 7638 thumbprint."""
    key = RSAKey.import_key(json.loads(kept.secret("lti_tool_key", _make_key)))
    key.ensure_kid()
    return key


def public_keys(kept: SqlStoreSecrets) -> dict[str, Any]:
    """The JWK set that platforms fetch."""
    public = tool_key(kept).as_dict(private=False)
    return {"keys": [public | {"alg": "RS256", "use": "sig"}]}


def learner_id(kept: SqlStoreSecrets, issuer: str, subject: str) -> str:
    """Who someone is to us: the same at each launch, and telling nothing of who they are elsewhere.

    HMAC-SHA256 of (iss, sub) under a secret of this store, cut to 128 bits.
    """
    secret = kept.secret("learner_pseudonyms", lambda: secrets.token_urlsafe(32))
    told = json.dumps([issuer, subject], ensure_ascii=True).encode()
    return LEARNER_PREFIX + hmac.new(secret.encode(), told, sha256).hexdigest()[:32]


def _make_key() -> str:
    return json.dumps(RSAKey.generate_key(_BITS).as_dict(private=True))
