"""One delivery to a platform: bounded in time, without redirects, and not to private addresses."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from knowledge.search.addresses import is_host, is_public_url
from knowledge.search.http_client import Cause, HttpClient, Unreachable
from services.webhooks.rows import DeliveryOutcome, DeliveryReason
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


async def post(client: HttpClient, url: str, body: bytes, headers: Mapping[str, str]) -> DeliveryOutcome:
    """Post JSON to a platform without reading the reply; every failure is an outcome."""
    sent = {"content-type": "application/json", **headers}
    try:
        reply = await client.send("POST", url, headers=sent, content=body, reads=False)
    except Unreachable as failure:
        reason = _REASONS.get(failure.cause, DeliveryReason.UNREACHABLE)
        return DeliveryOutcome(status=failure.status, reason=reason)
    return DeliveryOutcome(status=reply.status, reason=DeliveryReason.HEARD)


_REASONS = {
    Cause.TOO_SLOW: DeliveryReason.TIME_OUT,
    Cause.PRIVATE_ADDRESS: DeliveryReason.PRIVATE_ADDRESS,
    Cause.REDIRECT: DeliveryReason.REDIRECT,
    Cause.STATUS: DeliveryReason.NOT_ACCEPTED,
}


def _wrong(reason: Fault) -> InvalidInput:
    return InvalidInput(Fault("webhook.address", reason=reason), field="webhook_url")
