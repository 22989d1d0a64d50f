"""The addresses to which a platform may be told, and how long a try may take."""

from __future__ import annotations

from urllib.parse import urlsplit

from knowledge.search.addresses import is_host, is_public_url
from vta.errors import InvalidInput
from vta.faults import Fault

LONGEST_ADDRESS = 1000
LONGEST_TRY_S = 5.0


def check_address(url: str, *, private: bool) -> str:
    """The address without spaces around it. `InvalidInput` for one that is no address of a server.

    Unless `private` ones are allowed it must be https and name a public server. Every try resolves the name
    and checks its address again.
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


def _wrong(reason: Fault) -> InvalidInput:
    return InvalidInput(Fault("webhook.address", reason=reason), field="webhook_url")
