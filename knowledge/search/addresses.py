"""Which addresses may be shown as a link. Links are never fetched, so no name is ever resolved."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from urllib.parse import urlsplit

_LONGEST = 2000
_LOCAL_ENDINGS = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa")

_LABEL = r"[\w\-\x80-\U0010ffff]+"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*\.?|[0-9a-f:.]+", re.ASCII)


def is_host(text: str | None) -> bool:
    """True if a URL's host is a name or an address that every program reads alike."""
    return text is not None and _HOST.fullmatch(text) is not None


def is_public_url(url: str) -> bool:
    """True if a URL is http or https and names a public server.

    Refused are user names in the URL, white space and control characters, host names without a dot or with
    a local ending, and every spelling of an address that is not global (`127.1`, `0x7f.1`,
    `[::ffff:10.0.0.1]`).
    """
    if len(url) > _LONGEST or any(c.isspace() or unicodedata.category(c).startswith("C") for c in url):
        return False
    try:
        parts = urlsplit(unicodedata.normalize("NFKC", url))
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or "\\" in url:
        return False
    return is_host(host) and _is_public_host(host.rstrip("."))


def _is_public_host(host: str) -> bool:
    address = _as_address(host)
    if address is not None:
        return _is_global(address)
    labels = host.split(".")
    if len(labels) < 2 or not all(labels) or labels[-1].isdecimal() or labels[-1].startswith("0x"):
        return False
    return not any(host.endswith(f".{ending}") for ending in _LOCAL_ENDINGS)


def _as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host spells, in the short, octal and hexadecimal forms that browsers read too."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, UnicodeError):
        return None


def is_global(address: str) -> bool:
    """True if an address from a look-up belongs to the public internet."""
    return _is_global(ipaddress.ip_address(address.partition("%")[0]))


def _is_global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour]
        if address in _NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
        for each in inner:
            if each is not None and not _is_global(each):
                return False
        if address.ipv4_mapped is not None:
            return True
        if not (address in _NAT64 or address in _UNICAST):
            return False
    return address.is_global and not any(address in each for each in _REFUSED)


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All of IPv6 that is routed in public; Python's own table knows fewer of the other ranges."""
_REFUSED = (
    ipaddress.IPv4Network("192.88.99.0/24"),  # relays of 6to4, given up
    ipaddress.IPv4Network("224.0.0.0/4"),
    ipaddress.IPv6Network("3fff::/20"),  # for documentation
)
