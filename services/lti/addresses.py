"""The addresses that platforms name: which server they are of, and whether we may ask it."""

from __future__ import annotations

from urllib.parse import urlsplit

from knowledge.search.addresses import is_public_url


def server_of(address: str) -> str:
    """Scheme and server of an address; empty where it has none (an issuer need not be an address)."""
    try:
        parts = urlsplit(address)
        named = (
            parts.scheme in ("http", "https") and parts.hostname and not set(parts.netloc) & set(" ;,'\"@")
        )
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if named else ""


def may_be_asked(address: str, *, private: bool) -> bool:
    """True for the address of a server, public over https unless `private` ones are allowed."""
    if not server_of(address):
        return False
    return private or (address.startswith("https://") and is_public_url(address))
