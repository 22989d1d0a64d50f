"""Who asks: the key they bear, if any, and the address they come from."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from services.http.problems import forbidden
from vta.faults import Fault
from vta.types import CourseId, CourseKey

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks a course; `key` is None for whoever bears no key of ours."""

    course_id: CourseId
    address: str
    key: CourseKey | None = None


def bearer_of(headers: Headers) -> str:
    """The text after `Authorization: Bearer`, empty where there is none."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    return text.strip() if kind.lower() == "bearer" else ""


def address_of(scope: Scope) -> str:
    """The client's address; of IPv6, the network of 64 bits that one client has to itself."""
    client = scope.get("client")
    host = str(client[0]) if client else "unknown"
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


class TrustedProxies:
    """ASGI middleware: behind proxies that are configured, the client is the one they name.

    `X-Forwarded-For` is read from the right, the side our own proxies write on: the first address that is
    none of theirs is the client. From anyone else the header means nothing.
    """

    def __init__(self, app: ASGIApp, *, networks: Sequence[Network]) -> None:
        self._app = app
        self._networks = tuple(networks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._is_ours(_host(scope)):
            headers = Headers(scope=scope)
            named = [part.strip() for part in ",".join(headers.getlist("x-forwarded-for")).split(",")]
            client = next((host for host in reversed(named) if not self._is_ours(host)), None)
            scope = {**scope, "client": (client, 0)} if _is_address(client) else dict(scope)
            if headers.get("x-forwarded-proto", "").strip().lower() == "https":
                scope["scheme"] = "https"
        await self._app(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        if not _is_address(host):
            return False
        address = ipaddress.ip_address(host)
        return any(address in network for network in self._networks)


def _host(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""


def _is_address(host: str | None) -> bool:
    try:
        ipaddress.ip_address(host or "")
    except ValueError:
        return False
    return True


def check_origin(request: Request) -> None:
    """403 where the browser says that another site made it send this."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site not in ("same-origin", "none"):
        raise forbidden(Fault("console.other_site"))
