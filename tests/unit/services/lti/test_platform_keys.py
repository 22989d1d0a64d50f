"""Fetching a platform's keys: never from an address that is not public, whatever its name says."""

from __future__ import annotations

import asyncio
import socket

import httpx2
import pytest

from knowledge.search.http_client import HttpClient, PinnedTransport
from services.lti.platform_keys import PlatformKeys
from services.lti.refusals import LaunchRefused, RefusalReason


def resolving_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """From now on every name leads to these addresses."""

    async def resolve(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)


@pytest.mark.parametrize(
    "addresses",
    [("127.0.0.1",), ("10.0.0.1",), ("169.254.169.254",), ("::1",), ("8.8.8.8", "192.168.0.1"), ()],
)
async def test_a_public_name_that_leads_inside_is_not_asked(monkeypatch, addresses):
    """One private address among several is enough, so that no rebinding helps (T30)."""
    resolving_to(monkeypatch, *addresses)
    async with httpx2.AsyncClient(transport=PinnedTransport()) as client:
        with pytest.raises(httpx2.ConnectError, match="not public"):
            await client.get("https://lms.example.org/jwks")


@pytest.mark.parametrize(
    "url", ["https://127.1/jwks", "https://localhost/jwks", "https://[::ffff:10.0.0.1]/jwks", "file:///etc"]
)
async def test_an_address_that_is_not_public_is_not_asked(url):
    """It is refused before its name is looked up."""
    with pytest.raises(LaunchRefused) as refused:
        await PlatformKeys(HttpClient(private_addresses=False)).key(url, "key-1")
    assert refused.value.reason is RefusalReason.KEYS_UNREACHABLE
