"""The public keys of platforms: fetched with a time-out, kept for an hour, never from a private address."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from dataclasses import dataclass

import httpx2
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from knowledge.search.addresses import is_public_url
from knowledge.search.fetching import JsonFetcher
from services.lti.refusals import LaunchRefused, Reason
from vta.errors import UpstreamFailed

TIMEOUT_S = 5.0
KEPT_S = 3600.0
LEAST_S = 10.0
"""Seconds between two fetches for keys that are not there, so that nobody makes us ask without end."""
LARGEST_SET = 200_000
"""Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fetched:
    at: float
    keys: dict[str, RSAKey]


class PlatformKeys:
    """The keys of each JWKS address; shared by the launches of one event loop."""

    def __init__(self, *, private_addresses: bool) -> None:
        self._private_addresses = private_addresses
        self._fetched: dict[str, _Fetched] = {}
        self._fetching: dict[str, asyncio.Lock] = {}

    async def key(self, url: str, kid: str) -> RSAKey:
        """The RSA key of this id; fetched anew where it is not known, since platforms change their keys.

        `LaunchRefused` where the platform has no such key, or cannot be asked.
        """
        async with self._fetching.setdefault(url, asyncio.Lock()):
            now, known = time.monotonic(), self._fetched.get(url)
            age = KEPT_S if known is None else now - known.at
            if known is None or age >= KEPT_S or (kid not in known.keys and age >= LEAST_S):
                known = _Fetched(at=now, keys=await self._fetch(url))
                self._fetched[url] = known
        if kid not in known.keys:
            raise LaunchRefused(Reason.UNKNOWN_KEY, "the platform has no key of this id")
        return known.keys[kid]

    async def _fetch(self, url: str) -> dict[str, RSAKey]:
        if not (self._private_addresses or is_public_url(url)):
            raise LaunchRefused(Reason.KEYS_UNREACHABLE, "the address of the keys is not public")
        transport = None if self._private_addresses else PublicTransport()
        fetcher = JsonFetcher(
            name="the platform's key set",
            url=url,
            timeout_s=TIMEOUT_S,
            largest_reply=LARGEST_SET,
            transport=transport,
        )
        try:
            return _rsa_keys(await fetcher.get("", {}))
        except UpstreamFailed as error:
            raise LaunchRefused(Reason.KEYS_UNREACHABLE, error.message) from error


class PublicTransport(httpx2.AsyncHTTPTransport):
    """Connects to public addresses alone, and to the very address that was looked at (no rebinding)."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, port = request.url.host, request.url.port or 443
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpx2.ConnectError("the name is not known") from error
        addresses = [str(entry[4][0]) for entry in found]
        if not addresses or not all(is_public_url(f"https://{_in_url(a)}/") for a in addresses):
            raise httpx2.ConnectError("the name leads to an address that is not public")
        request.extensions = {**request.extensions, "sni_hostname": host}
        request.url = request.url.copy_with(host=addresses[0])
        return await super().handle_async_request(request)


def _in_url(address: str) -> str:
    bare = address.partition("%")[0]
    return f"[{bare}]" if ipaddress.ip_address(bare).version == 6 else bare


def _rsa_keys(value: object) -> dict[str, RSAKey]:
    """The RSA keys for signatures in a JWK set, by key id; all others are passed over."""
    listed = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise LaunchRefused(Reason.KEYS_UNREACHABLE, "the address of the keys gave no key set")
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
