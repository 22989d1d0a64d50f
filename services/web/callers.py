"""The caller of a request: its bearer key, its address, its origin."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import Scope

from services.web.problems import forbidden
from vta.faults import Fault


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


def check_origin(request: Request) -> None:
    """403 where the browser's headers name another site as the sender."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or site not in ("same-origin", "none"):
        raise forbidden(Fault("console.other_site"))
