"""Requests to other servers: bounded in time and size, never redirected, and never sent to private addresses.

Names are resolved once, every address is checked, and a checked one is connected to, so that a name which
changes in between (DNS rebinding) leads nowhere.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import httpx2

from knowledge.search.addresses import is_global, is_public_url

TIMEOUT_S = 5.0
_MOST_ADDRESSES = 3
"""Addresses of one name that are tried, for a machine that reaches only some."""
LARGEST_REPLY = 2_000_000
"""Bytes."""
UNPACKED = {"accept-encoding": "identity"}
"""The header that asks a server not to compress, so that the bytes it sends are those in memory."""


class ReplyTooLarge(httpx2.TransportError):
    """A reply has more bytes than it may."""


class CompressedReply(ReplyTooLarge):
    """A reply is compressed, so that it may have any number of bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyBound:
    """So much of a reply is read; `bound` and `bound_async` are hooks of a client for its replies."""

    most: int = LARGEST_REPLY

    def bound(self, reply: httpx2.Response) -> None:
        """Raise `ReplyTooLarge` in the reader of a reply that is longer than the bound."""
        reply.stream = _BoundedBody(reply, self.most)

    async def bound_async(self, reply: httpx2.Response) -> None:
        """The same for an asynchronous client."""
        self.bound(reply)


class _BoundedBody(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    def __init__(self, reply: httpx2.Response, most: int) -> None:
        self._body: Any = reply.stream
        self._is_compressed = reply.headers.get("content-encoding", "identity") != "identity"
        self._left = most

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            yield self._within(piece)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            yield self._within(piece)

    def close(self) -> None:
        self._body.close()

    async def aclose(self) -> None:
        await self._body.aclose()

    def _within(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._is_compressed:
            raise CompressedReply("compressed, though it was asked not to be")
        if self._left < 0:
            raise ReplyTooLarge("longer than it may be")
        return piece


class Cause(StrEnum):
    """Why a request failed; docs/lti.md says what to do about each."""

    PRIVATE_ADDRESS = "private_address"
    CERTIFICATE = "certificate"
    NO_SERVER = "no_server"
    TOO_SLOW = "too_slow"
    REDIRECT = "redirect"
    STATUS = "status"
    TOO_LARGE = "too_large"
    COMPRESSED = "compressed"
    NO_JSON = "no_json"


class Unreachable(Exception):
    """A server could not be asked, or did not answer as it should; never says what it answered.

    `status` is that of the reply, None where there was none.
    """

    def __init__(self, cause: Cause, detail: str = "", *, status: int | None = None) -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause.value)
        self.cause = cause
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A reply with a status of 200 to 299; `content` is empty where it was not to be read."""

    status: int
    content: bytes

    @property
    def value(self) -> object:
        """The JSON in it; `Unreachable` where there is none."""
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError):
            raise Unreachable(Cause.NO_JSON) from None


class HttpClient:
    """Sends single requests; no connection or cookie outlives a request."""

    def __init__(
        self,
        *,
        private_addresses: bool,
        timeout_s: float = TIMEOUT_S,
        largest_reply: int = LARGEST_REPLY,
        uses_proxy: bool = False,
    ) -> None:
        """`timeout_s` is the total of a request, from the look-up of the name to the last byte.

        A client that `uses_proxy` goes by the proxies that the environment names, which resolve names
        themselves; it is for addresses that the administrator gave.
        """
        self.private_addresses = private_addresses
        self._uses_proxy = uses_proxy
        self._timeout_s = timeout_s
        self._bound = ReplyBound(most=largest_reply)

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        body: object = None,
        content: bytes | None = None,
        reads: bool = True,
    ) -> HttpReply:
        """The reply to a request whose body is a form, a value as JSON, or bytes.

        Unless it `reads`, only the status of the reply counts. `Unreachable` for every failure.
        """
        if not self.private_addresses and not (url.startswith("https://") and is_public_url(url)):
            raise Unreachable(Cause.PRIVATE_ADDRESS, "not public, or not https")
        sent = {"accept": "application/json", "user-agent": "vta-platform", **UNPACKED, **(headers or {})}
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._open() as client,
                client.stream(
                    method, url, params=parameters, content=content, data=form, json=body, headers=sent
                ) as reply,
            ):
                return await _read(reply, reads=reads)
        except TimeoutError:
            raise Unreachable(Cause.TOO_SLOW, f"{self._timeout_s:g} s") from None
        except CompressedReply:
            raise Unreachable(Cause.COMPRESSED) from None
        except ReplyTooLarge:
            raise Unreachable(Cause.TOO_LARGE) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            raise Unreachable(_cause_of(error), type(error).__name__) from error

    def _open(self) -> httpx2.AsyncClient:
        pinned = PinnedTransport(private=self.private_addresses, verify=self._tls)
        return httpx2.AsyncClient(
            transport=None if self._uses_proxy else pinned,
            verify=self._tls,
            timeout=None,
            follow_redirects=False,
            event_hooks={"response": [self._bound.bound_async]},
        )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()


class PrivateAddress(httpx2.ConnectError):
    """The name leads to an address that is not public."""


class PinnedTransport(httpx2.AsyncHTTPTransport):
    """Connects to the very addresses that were looked at (no rebinding), all of which must be public."""

    def __init__(self, *, private: bool = False, verify: ssl.SSLContext | bool = True) -> None:
        """`private` allows addresses that are not public."""
        super().__init__(verify=verify)
        self._private = private

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        named = request.url
        request.extensions = {**request.extensions, "sni_hostname": named.raw_host.decode()}
        addresses = await self._addresses_of(named)
        for address in addresses[:-1]:
            request.url = named.copy_with(host=address)
            try:
                return await super().handle_async_request(request)
            except httpx2.ConnectError:
                continue
        request.url = named.copy_with(host=addresses[-1])
        return await super().handle_async_request(request)

    async def _addresses_of(self, url: httpx2.URL) -> list[str]:
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = await asyncio.get_running_loop().getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError("the name is not known") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if not addresses or not (self._private or all(map(is_global, addresses))):
            raise PrivateAddress("the name leads to an address that is not public")
        return addresses[:_MOST_ADDRESSES]


async def _read(reply: httpx2.Response, *, reads: bool) -> HttpReply:
    status = reply.status_code
    if reply.is_redirect:
        raise Unreachable(Cause.REDIRECT, str(status), status=status)
    if not 200 <= status < 300:
        raise Unreachable(Cause.STATUS, str(status), status=status)
    return HttpReply(status=status, content=await reply.aread() if reads else b"")


def _cause_of(error: BaseException) -> Cause:
    """The first cause of a failed connection."""
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, PrivateAddress):
            return Cause.PRIVATE_ADDRESS
        if isinstance(below, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(below):
            return Cause.CERTIFICATE
        below = below.__cause__ or below.__context__
    return Cause.NO_SERVER
