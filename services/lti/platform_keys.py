"""The public keys of platforms: fetched within limits, and cached for an hour."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from knowledge.search.http_client import Cause, HttpClient, Unreachable
from services.lti.platform_store import LtiPlatform
from services.lti.refusals import LaunchRefused, RefusalReason
from vta.errors import UpstreamFailed
from vta.faults import Fault

KEPT_S = 3600.0
LEAST_S = 10.0
"""Seconds between two fetches for keys that are not there, so that nobody makes us ask without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fetched:
    at: float
    keys: dict[str, RSAKey]


class PlatformKeys:
    """The keys of each JWKS address; shared by the launches of one event loop."""

    def __init__(self, outgoing: HttpClient) -> None:
        self._outgoing = outgoing
        self._fetched: dict[str, _Fetched] = {}
        self._fetching: dict[str, asyncio.Lock] = {}

    async def key(self, url: str, kid: str) -> RSAKey:
        """The RSA key of this id; fetched again where it is unknown, since platforms change their keys.

        `LaunchRefused` where the platform has no such key, or cannot be asked.
        """
        async with self._fetching.setdefault(url, asyncio.Lock()):
            now, known = time.monotonic(), self._fetched.get(url)
            age = KEPT_S if known is None else now - known.at
            if known is None or age >= KEPT_S or (kid not in known.keys and age >= LEAST_S):
                known = _Fetched(at=now, keys=await self._fetch(url))
                self._fetched[url] = known
        if kid not in known.keys:
            raise LaunchRefused(RefusalReason.UNKNOWN_KEY, "the platform has no key of this id")
        return known.keys[kid]

    async def _fetch(self, url: str) -> dict[str, RSAKey]:
        try:
            return await fetch_keys(self._outgoing, url)
        except Unreachable as failure:
            raise LaunchRefused(RefusalReason.KEYS_UNREACHABLE, str(failure)) from failure


async def fetch_keys(outgoing: HttpClient, url: str) -> dict[str, RSAKey]:
    """The keys of a platform as they are now, by key id; `Unreachable` where they cannot be had."""
    return _rsa_keys((await outgoing.send("GET", url)).value)


def _rsa_keys(value: object) -> dict[str, RSAKey]:
    """The RSA keys for signatures in a JWK set, by key id; all others are passed over."""
    listed = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise Unreachable(Cause.NO_JSON, "no key set")
    keys: dict[str, RSAKey] = {}
    for entry in listed:
        if not isinstance(entry, dict) or entry.get("kty") != "RSA" or entry.get("use", "sig") != "sig":
            continue
        kid = entry.get("kid")
        if not isinstance(kid, str):
            continue
        try:
            keys[kid] = RSAKey.import_key({name: entry[name] for name in ("kty", "n", "e", "kid")})
        except (JoseError, KeyError, TypeError, ValueError):
            continue
    return keys


async def check_platform(known: LtiPlatform, outgoing: HttpClient) -> int:
    """The number of keys that the platform publishes; `UpstreamFailed` names the cause of a failure."""
    url = known.jwks_url
    try:
        found = await fetch_keys(outgoing, url)
    except Unreachable as failure:
        raise UpstreamFailed(_explained(failure, url)) from failure
    if not found:
        raise UpstreamFailed(Fault("lti.keys_none", url=url))
    return len(found)


def _explained(failure: Unreachable, url: str) -> Fault:
    match failure.cause:
        case Cause.PRIVATE_ADDRESS:
            return Fault("lti.keys_private", url=url)
        case Cause.CERTIFICATE:
            return Fault("lti.keys_certificate", url=url)
        case Cause.NO_SERVER | Cause.TOO_SLOW:
            return Fault("lti.keys_no_server", url=url)
        case _:
            return Fault("lti.keys_other", url=url, cause=str(failure))
