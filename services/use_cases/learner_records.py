"""What is kept of a learner, as JSON; and the sweep of what is too old."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from pydantic import JsonValue

from services.rendering.answer_json import answer_to_json
from services.settings import Settings
from services.storage.privacy import LearnerSession, LearnerTurn, Swept
from services.storage.stores import Stores
from vta.errors import VtaError

DAY_S = 24 * 3600.0

_log = logging.getLogger(__name__)


def learner_json(learner_id: str, sessions: Sequence[LearnerSession]) -> dict[str, JsonValue]:
    """All that is kept of a learner in a course."""
    return {
        "learner_id": learner_id,
        "sessions": [
            {
                "session_id": session.id,
                "created_at": session.created_at.isoformat(),
                "turns": [_turn_json(turn) for turn in session.turns],
            }
            for session in sessions
        ],
    }


def sweep(stores: Stores, settings: Settings) -> Swept:
    """Erase what is older than `VTA_RETENTION_DAYS`; nothing where it is not set."""
    days = settings.retention_days
    return Swept(turns=0, sessions=0) if days is None else stores.privacy.sweep(days)


async def sweep_daily(
    stores: Stores, settings: Settings, *, wait: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> None:
    """Sweep after each day of serving, until cancelled; a day on which the store is away is left out."""
    while settings.retention_days is not None:
        await wait(DAY_S)
        try:
            await asyncio.to_thread(sweep, stores, settings)
        except VtaError as failure:
            _log.error("old turns could not be erased today: %s", failure.message)


def _turn_json(kept: LearnerTurn) -> JsonValue:
    place = kept.position
    return {
        "turn_id": kept.turn.id,
        "number": kept.turn.number,
        "asked_at": kept.turn.created_at.isoformat(),
        "question": kept.turn.question,
        "answer": answer_to_json(kept.turn.answer),
        "position": {"unit": place.unit, "video": place.video, "second": place.second},
        "feedback": {"rating": kept.rating, "reason": kept.reason, "comment": kept.comment},
        "ta_question": kept.ta_state,
    }
