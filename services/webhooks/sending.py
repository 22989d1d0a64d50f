"""One try to tell a platform: bounded in time, never led elsewhere, and not to addresses inside the house."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urlsplit

import httpx2

from knowledge.search.addresses import is_global, is_host, is_public_url
from services.storage.webhook_rows import Outcome, Reason
from vta.errors import InvalidInput
from vta.faults import Fault

LONGEST_ADDRESS = 1000
LONGEST_TRY_S = 5.0
_MOST_ADDRESSES = 3
"""Addresses of one name that are tried, for a machine that reaches only some."""
_HEADERS = {"content-type": "application/json", "user-agent": "vta-platform"}


def check_address(url: str, *, private: bool) -> str:
    """The address as it is kept. `InvalidInput` for one that is no address of a server.

    Unless `private` ones are allowed it must be https and name a public server. What the name stands for is
    looked up, and checked again, at every try.
    """
    text = url.strip()
    try:
        parts = urlsplit(text)
        is_server = parts.scheme in ("http", "https") and is_host(parts.hostname) and parts.port != 0
    except ValueError:
        is_server = False
    if not is_server or not text.isascii() or not text.isprintable() or " " in text or "@" in parts.netloc:
        raise _wrong(Fault("webhook.no_address"))
    if len(text) > LONGEST_ADDRESS:
        raise _wrong(Fault("webhook.too_long", most=LONGEST_ADDRESS))
    if parts.fragment or "\\" in text:
        raise _wrong(Fault("webhook.unsent_part"))
    if not private and parts.scheme != "https":
        raise _wrong(Fault("webhook.not_https"))
    if not private and not is_public_url(text):
        raise _wrong(Fault("webhook.not_public"))
    return text


class Sender:
    """Posts to addresses that instructors gave. Redirects are not followed, and replies are not read.

    The name is looked up once, every address it stands for is checked, and one of those that were checked is
    connected to: a name that changes in between leads nowhere.
    """

    def __init__(self, *, private: bool, longest_s: float = LONGEST_TRY_S) -> None:
        """`private` allows addresses inside the house; `longest_s` is the total of a try."""
        self.private = private
        self._longest_s = longest_s

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """What came of it; never an error."""
        try:
            async with asyncio.timeout(self._longest_s):
                return await self._post(url, body, headers)
        except TimeoutError:
            return Outcome(status=None, reason=Reason.TIME_OUT)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError):
            return Outcome(status=None, reason=Reason.UNREACHABLE)

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        given = httpx2.URL(url)
        port = given.port or (443 if given.scheme == "https" else 80)
        found = await asyncio.get_running_loop().getaddrinfo(given.host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        if not self.private and not all(map(is_global, addresses)):
            return Outcome(status=None, reason=Reason.PRIVATE_ADDRESS)
        sent = {**_HEADERS, **headers, "host": given.netloc.decode()}
        for address in addresses[:_MOST_ADDRESSES]:
            there = given.copy_with(host=address)
            try:
                return await self._send(there, body, sent, name=given.raw_host.decode())
            except httpx2.ConnectError:
                if address == addresses[:_MOST_ADDRESSES][-1]:
                    raise
        raise OSError("the name stands for no address")

    async def _send(self, url: httpx2.URL, body: bytes, headers: Mapping[str, str], *, name: str) -> Outcome:
        async with (
            httpx2.AsyncClient(
                verify=self._tls, timeout=None, follow_redirects=False, trust_env=False
            ) as client,
            client.stream(
                "POST", url, content=body, headers=headers, extensions={"sni_hostname": name}
            ) as reply,
        ):
            status = reply.status_code
        if reply.is_redirect:
            return Outcome(status=status, reason=Reason.REDIRECT)
        return Outcome(status=status, reason=Reason.HEARD if 200 <= status < 300 else Reason.NOT_ACCEPTED)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()


def _wrong(reason: Fault) -> InvalidInput:
    return InvalidInput(Fault("webhook.address", reason=reason), field="webhook_url")
