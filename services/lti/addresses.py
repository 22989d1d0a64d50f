"""The addresses that platforms name: which server they are of, and whether we may ask it."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from knowledge.search.addresses import is_public_url

_HOST = re.compile(r"[\w.\[\]:-]+", re.ASCII)


def server_of(address: str) -> str:
    """Scheme, host and port of an address; empty where it names no server (an issuer need not)."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    is_server = parts.scheme in ("http", "https") and parts.hostname and _HOST.fullmatch(parts.netloc)
    return f"{parts.scheme}://{parts.netloc}" if is_server else ""


def may_be_asked(address: str, *, private: bool) -> bool:
    """True for the address of a server, public over https unless `private` ones are allowed."""
    if not server_of(address):
        return False
    return private or (address.startswith("https://") and is_public_url(address))
