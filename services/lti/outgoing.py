"""Requests to platforms: bounded in time and size, never led elsewhere, and to public addresses alone."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import httpx2

from knowledge.search.addresses import is_global
from knowledge.search.bounded_replies import UNPACKED, CompressedReply, ReplyBound, ReplyTooLarge
from services.lti.addresses import may_be_asked

TIMEOUT_S = 5.0
_HEADERS = {"accept": "application/json", "user-agent": "vta-platform", **UNPACKED}


class Cause(StrEnum):
    """Why a platform could not be asked; docs/lti.md says what to do about each."""

    PRIVATE_ADDRESS = "private_address"
    CERTIFICATE = "certificate"
    NO_SERVER = "no_server"
    TOO_SLOW = "too_slow"
    REDIRECT = "redirect"
    STATUS = "status"
    TOO_LARGE = "too_large"
    NO_JSON = "no_json"


class Unreachable(Exception):
    """A platform could not be asked, or did not answer as it should; never says what it answered."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause.value)
        self.cause = cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a platform answered with a status of 200 to 299; `value` is None where it sent nothing."""

    value: object
    links: Mapping[str, str]
    """Addresses of its `Link` header, by their relation."""


class Outgoing:
    """Asks platforms. Redirects are not followed, and nothing is kept between two requests."""

    def __init__(self, *, private_addresses: bool, timeout_s: float = TIMEOUT_S) -> None:
        """`timeout_s` is the total of a request."""
        self.private_addresses = private_addresses
        self._timeout_s = timeout_s

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Reply:
        """The reply to one request, with a form or JSON as its body. `Unreachable` for every failure."""
        if not may_be_asked(url, private=self.private_addresses):
            raise Unreachable(Cause.PRIVATE_ADDRESS, "not public, or not https")
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        sent = _HEADERS | ({"content-type": "application/json"} if content else {}) | dict(headers or {})
        new = httpx2.AsyncHTTPTransport if self.private_addresses else PublicTransport
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                httpx2.AsyncClient(
                    transport=new(verify=self._tls),
                    timeout=None,
                    follow_redirects=False,
                    event_hooks={"response": [ReplyBound().bound_async]},
                ) as client,
                client.stream(method, url, content=content, data=form, headers=sent) as reply,
            ):
                return await _read(reply)
        except TimeoutError:
            raise Unreachable(Cause.TOO_SLOW, f"{self._timeout_s:g} s") from None
        except CompressedReply:
            raise Unreachable(Cause.NO_JSON) from None
        except ReplyTooLarge:
            raise Unreachable(Cause.TOO_LARGE) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise Unreachable(_cause_of(error), type(error).__name__) from error

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx2.create_ssl_context()


class PrivateAddress(httpx2.ConnectError):
    """The name leads to an address that is not public."""


class PublicTransport(httpx2.AsyncHTTPTransport):
    """Connects to public addresses alone, and to the very address that was looked at (no rebinding)."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, port = request.url.host, request.url.port or 443
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpx2.ConnectError("the name is not known") from error
        addresses = [str(entry[4][0]) for entry in found]
        if not addresses or not all(map(is_global, addresses)):
            raise PrivateAddress("the name leads to an address that is not public")
        request.extensions = {**request.extensions, "sni_hostname": host}
        request.url = request.url.copy_with(host=addresses[0])
        return await super().handle_async_request(request)


async def _read(reply: httpx2.Response) -> Reply:
    if reply.is_redirect:
        raise Unreachable(Cause.REDIRECT, str(reply.status_code))
    if not 200 <= reply.status_code < 300:
        raise Unreachable(Cause.STATUS, str(reply.status_code))
    body = await reply.aread()
    links = {relation: link["url"] for relation, link in reply.links.items() if relation and "url" in link}
    if not body.strip():
        return Reply(value=None, links=links)
    try:
        return Reply(value=json.loads(body), links=links)
    except (ValueError, RecursionError):
        raise Unreachable(Cause.NO_JSON) from None


def _cause_of(error: BaseException) -> Cause:
    """What lies at the bottom of a failed connection."""
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, PrivateAddress):
            return Cause.PRIVATE_ADDRESS
        if isinstance(below, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(below):
            return Cause.CERTIFICATE
        below = below.__cause__ or below.__context__
    return Cause.NO_SERVER
