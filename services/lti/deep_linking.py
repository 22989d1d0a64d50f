"""The answer to a deep linking request: one resource link, to the course's assistant, signed by the tool."""

from __future__ import annotations

import secrets
import time
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey

from services.lti.id_token import ALGORITHM, CLAIM, DEEP_LINK, DeepLinking
from services.storage.lti_platforms import LtiPlatform

LASTS_S = 600


def sign_link(
    key: RSAKey, platform: LtiPlatform, *, deployment_id: str, settings: DeepLinking, url: str, title: str
) -> str:
    """The JWT that the browser carries back to the platform (LTI Deep Linking 2.0, section 4.2)."""
    now = int(time.time())
    claims: dict[str, Any] = {
        "iss": platform.client_id,
        "aud": platform.issuer,
        "iat": now,
        "exp": now + LASTS_S,
        "nonce": secrets.token_urlsafe(16),
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{CLAIM}deployment_id": deployment_id,
        f"{DEEP_LINK}content_items": [{"type": "ltiResourceLink", "url": url, "title": title}],
    }
    if settings.data is not None:
        claims[f"{DEEP_LINK}data"] = settings.data
    return jwt.encode({"alg": ALGORITHM, "kid": key.kid, "typ": "JWT"}, claims, key)
