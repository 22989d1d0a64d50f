"""What a platform is sent, in the form of Standard Webhooks: JSON, signed with the course's secret.

The signature is HMAC-SHA256 over `id.timestamp.body` under the 32 bytes that follow `whsec_` in base64.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from services.storage.webhook_rows import REJECTED, REPLIED, WAITING, Answered, Asker, Concerned, Outgoing

_BEGINS = "whsec_"


def new_secret() -> str:
    """`whsec_` and 256 random bits."""
    return _BEGINS + base64.b64encode(secrets.token_bytes(32)).decode()


def body_of(outgoing: Outgoing) -> bytes:
    """The JSON of a delivery; the same at every try, but for learners who were erased since."""
    data: dict[str, object] = {"course_id": outgoing.course_id}
    if outgoing.answered is not None:
        data |= _told(outgoing.answered)
    elif outgoing.concerned is not None:
        data |= _concerning(outgoing.kind, outgoing.concerned)
    elif outgoing.ingested is not None:
        data |= asdict(outgoing.ingested)
    message = {
        "type": outgoing.kind,
        "id": outgoing.id,
        "timestamp": outgoing.created_at.isoformat(timespec="milliseconds"),
        "data": data,
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


def _told(answered: Answered) -> dict[str, object]:
    return {
        "faq_id": answered.faq_id,
        "question": answered.question,
        "answer": answered.answer,
        "askers": _askers(answered.askers),
    }


def _concerning(kind: str, concerned: Concerned) -> dict[str, object]:
    askers: dict[str, object] = {"askers": _askers(concerned.askers)}
    if kind == REJECTED:
        return {"reason": concerned.reason, **askers}
    if kind == REPLIED:
        return {"reply": concerned.reply, "asks_back": concerned.asks_back, **askers}
    return askers if kind == WAITING else {}


def _askers(askers: Sequence[Asker]) -> list[dict[str, object]]:
    return [
        {
            "question_id": asker.question_id,
            "turn_id": asker.turn_id,
            "session_id": asker.session_id,
            "learner_id": asker.learner_id,
            "question": asker.question,
        }
        for asker in askers
    ]
