"""Delivers the webhooks of the outbox, those of a course one after another, in the form of Standard Webhooks.

The signature is HMAC-SHA256 over `id.timestamp.body` under the 32 bytes that follow `whsec_` in base64.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from knowledge.search.addresses import is_host, is_public_url
from knowledge.search.http_client import Cause, HttpClient, Unreachable
from services.webhooks.rows import Delivery, DeliveryOutcome, DeliveryReason, Outgoing
from services.webhooks.store import SqlWebhooks
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId

LONGEST_ADDRESS = 1000
LONGEST_TRY_S = 5.0
_BEGINS = "whsec_"
_REASONS = {
    Cause.TOO_SLOW: DeliveryReason.TIME_OUT,
    Cause.PRIVATE_ADDRESS: DeliveryReason.PRIVATE_ADDRESS,
    Cause.REDIRECT: DeliveryReason.REDIRECT,
    Cause.STATUS: DeliveryReason.NOT_ACCEPTED,
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookWorker:
    """Delivers what this process has claimed; other processes deliver from the same store.

    A delivery whose process died is tried again, under the same id, once its claim has ended.
    """

    webhooks: SqlWebhooks
    client: HttpClient
    clock: Clock

    async def deliver_due(self) -> int:
        """Try every due delivery; returns their number."""
        due = await asyncio.to_thread(self.webhooks.claim)
        await asyncio.gather(*(self._deliver(outgoing) for outgoing in due))
        return len(due)

    async def send_test(self, course_id: CourseId) -> Delivery:
        """Send a test at once and record its outcome. `InvalidInput` without URL or secret."""
        outgoing = await asyncio.to_thread(self.webhooks.test, course_id)
        outcome = await self._try(outgoing)
        return await asyncio.to_thread(self.webhooks.record_test, outgoing, outcome)

    async def _deliver(self, outgoing: Outgoing) -> None:
        outcome = await self._try(outgoing)
        if not outcome.is_heard:
            told = (outgoing.id, outgoing.course_id, outcome.status, outcome.reason)
            _log.warning("webhook %s of course %s: %s, %s", *told)
        await asyncio.to_thread(self.webhooks.settle, outgoing, outcome)

    async def _try(self, outgoing: Outgoing) -> DeliveryOutcome:
        """Post it without reading the reply; every failure is an outcome."""
        body = body_of(outgoing)
        sent = {"content-type": "application/json", **sign(outgoing, body, self.clock.now())}
        try:
            reply = await self.client.send("POST", outgoing.url, headers=sent, content=body, reads=False)
        except Unreachable as failure:
            reason = _REASONS.get(failure.cause, DeliveryReason.UNREACHABLE)
            return DeliveryOutcome(status=failure.status, reason=reason)
        return DeliveryOutcome(status=reply.status, reason=DeliveryReason.HEARD)


def new_secret() -> str:
    """`whsec_` and 256 random bits."""
    return _BEGINS + base64.b64encode(secrets.token_bytes(32)).decode()


def body_of(outgoing: Outgoing) -> bytes:
    """The JSON of a delivery; the same at every try, but for learners who were erased since."""
    message = {
        "type": outgoing.kind,
        "id": outgoing.id,
        "timestamp": outgoing.created_at.isoformat(timespec="milliseconds"),
        "data": outgoing.data,
    }
    return json.dumps(message, ensure_ascii=False).encode()


def sign(outgoing: Outgoing, body: bytes, at: datetime) -> Mapping[str, str]:
    """The headers by which the platform knows that a body is from here, and when it was sent."""
    timestamp = str(int(at.timestamp()))
    key = base64.b64decode(outgoing.secret.removeprefix(_BEGINS))
    signed = hmac.digest(key, f"{outgoing.id}.{timestamp}.".encode() + body, "sha256")
    return {
        "webhook-id": outgoing.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


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
