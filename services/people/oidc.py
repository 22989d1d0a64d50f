"""The school's log-in: OpenID Connect's code flow with PKCE, by which its people are ours.

Authlib speaks OAuth, joserfc verifies the id_token, and what a log-in needs between its two steps waits in
the store, so any process may take the second one (OpenID Connect Core 1.0, section 3.1; RFC 7636, RFC 9207).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from fastapi import Request
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from knowledge.search.http_client import UNPACKED, ReplyBound
from services.people.session_store import OidcLogin
from services.settings import Settings, reveal
from services.web.problems import forbidden
from vta.errors import NotFound, UpstreamFailed
from vta.faults import Fault

TIMEOUT_S = 10.0
KEPT_S = 3600.0
"""Seconds for which the provider's metadata are cached."""
LEEWAY_S = 60
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
_FAILURES = (httpx2.HTTPError, OAuthError, JoseError, ValueError, KeyError, TypeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcIdentity:
    """A verified identity at the school; `email` only where the school verified it."""

    issuer: str
    subject: str
    name: str
    email: str | None


class OidcProvider:
    """One OpenID provider, whose metadata are fetched when first needed."""

    def __init__(self, settings: Settings) -> None:
        self.issuer = settings.oidc_issuer or ""
        self._client_id = settings.oidc_client_id or ""
        self._secret = reveal(settings.oidc_client_secret) or None
        self._metadata: dict[str, Any] = {}
        self._asked_at = 0.0

    async def address(self, login: OidcLogin, redirect_uri: str) -> str:
        """The address at which the browser logs in."""
        async with self._client(redirect_uri) as client:
            metadata = await self._discover(client)
            address, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=login.state,
                nonce=login.nonce,
                code_verifier=login.verifier,
            )
        return str(address)

    async def exchange_code(
        self, code: str, login: OidcLogin, redirect_uri: str, *, issuer: str | None
    ) -> OidcIdentity:
        """Exchange the code for a verified identity; 403 if the id_token is not for this login.

        `issuer` is the `iss` of the answer, if any (RFC 9207). `UpstreamFailed` where the school cannot be
        asked.
        """
        async with self._client(redirect_uri) as client:
            metadata = await self._discover(client)
            if issuer not in (None, metadata["issuer"]):
                raise _refused("the answer is another issuer's")
            try:
                token = await client.fetch_token(
                    metadata["token_endpoint"], code=code, code_verifier=login.verifier
                )
                keys = await client.request("GET", metadata["jwks_uri"], withhold_token=True)
                claims = self._verified(str(token["id_token"]), keys.raise_for_status().json(), login)
                told = claims if "email" in claims else claims | await self._asked(client, claims["sub"])
            except httpx2.TransportError as error:
                raise _unreachable(error) from error
            except _FAILURES as error:
                raise _refused(type(error).__name__) from error
        is_verified = told.get("email_verified") in (True, "true")
        return OidcIdentity(
            issuer=metadata["issuer"],
            subject=claims["sub"],
            name=str(told.get("name") or told.get("preferred_username") or ""),
            email=str(told["email"]) if is_verified and told.get("email") else None,
        )

    def _client(self, redirect_uri: str) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            client_id=self._client_id,
            client_secret=self._secret,
            scope="openid email profile",
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            timeout=TIMEOUT_S,
            headers=UNPACKED,
            event_hooks={"response": [ReplyBound().bound_async]},
            leeway=0,  # the token is used at once, however short it lasts
        )

    async def _discover(self, client: AsyncOAuth2Client) -> dict[str, Any]:
        """The provider's metadata, which must be of this issuer (OpenID Connect Discovery 1.0, 4.3)."""
        if not self._metadata or time.monotonic() - self._asked_at > KEPT_S:
            address = f"{self.issuer}/.well-known/openid-configuration"
            try:
                found = (await client.request("GET", address, withhold_token=True)).raise_for_status().json()
                names = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
                if not all(isinstance(found[name], str) for name in names):
                    raise ValueError("an address is no text")
            except _FAILURES as error:
                raise _unreachable(error) from error
            if found["issuer"].rstrip("/") != self.issuer:
                raise UpstreamFailed(Fault("person.no_school", reason="it says to be another issuer"))
            self._metadata, self._asked_at = found, time.monotonic()
        return self._metadata

    async def _asked(self, client: AsyncOAuth2Client, subject: str) -> dict[str, Any]:
        """The claims of the userinfo endpoint for the same subject; empty where there are none."""
        address = self._metadata.get("userinfo_endpoint")
        if not isinstance(address, str):
            return {}
        found = (await client.get(address)).raise_for_status().json()
        return {name: found[name] for name in found.keys() - {"sub"}} if found["sub"] == subject else {}

    def _verified(self, token: str, keys: Any, login: OidcLogin) -> dict[str, Any]:
        """The claims of a token that the school signed for us, now, for this log-in; else a `JoseError`."""
        registry = jws.JWSRegistry(algorithms=_ALGORITHMS, strict_check_header=False)
        claims = jwt.decode(
            token, KeySet.import_key_set(keys), algorithms=_ALGORITHMS, registry=registry
        ).claims
        jwt.JWTClaimsRegistry(
            now=int(time.time()),
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self._metadata["issuer"]},
            aud={"essential": True, "value": self._client_id},
            azp={"value": self._client_id},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
            nonce={"essential": True, "value": login.nonce},
        ).validate(claims)
        if claims["aud"] not in (self._client_id, [self._client_id]) and "azp" not in claims:
            raise ValueError("the token is for others too")
        if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
            raise ValueError("the subject is no text")
        return dict(claims)


def open_oidc(settings: Settings) -> OidcProvider | None:
    """The school's log-in, where one is set."""
    return OidcProvider(settings) if settings.oidc_issuer else None


def oidc_of(request: Request) -> OidcProvider:
    """The school's log-in of the application that a request came to; `NotFound` where none is set."""
    oidc: OidcProvider | None = request.app.state.parts.oidc
    if oidc is None:
        raise NotFound(Fault("person.school_unset"))
    return oidc


def _refused(reason: str) -> Exception:
    return forbidden(Fault("person.no_school", reason=reason))


def _unreachable(error: Exception) -> UpstreamFailed:
    return UpstreamFailed(Fault("person.no_school", reason=type(error).__name__))
