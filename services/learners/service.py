"""What is kept of learners: exported, erased on request, and swept when it is too old."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass

from pydantic import JsonValue

from services.learners.store import LearnerScore, LearnerSession, LearnerTurn, Swept
from services.rendering.answer_json import answer_to_json
from services.stores import Stores
from vta.errors import VtaError
from vta.types.courses import CourseId
from vta.types.inbox import MessageKind

DAY_S = 24 * 3600.0

_log = logging.getLogger(__name__)


async def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerService:
    """The records of learners, by the id that their platform has for them or by their pseudonym."""

    stores: Stores
    retention_days: int | None

    def export(self, course_id: CourseId, learner_id: str) -> dict[str, JsonValue]:
        """All that is kept of a learner in a course, as JSON; `NotFound` for an unknown course."""
        found = self.stores.courses.course(course_id)
        scores = self.stores.privacy.scores(found.id, learner_id)
        return learner_json(learner_id, self.stores.privacy.export(found.id, learner_id), scores)

    def erase(self, course_id: CourseId, learner_id: str, *, vouched: bool) -> int:
        """Erase a learner's sessions in a course; returns how many. `NotFound` for an unknown course.

        `vouched` includes those of a learner whom the platform vouched for. Only they, the platform
        and the instructors of the course may ask for that.
        """
        found = self.stores.courses.course(course_id)
        return self.stores.privacy.erase(found.id, learner_id, vouched=vouched)

    def sweep(self) -> Swept:
        """Erase what is older than `VTA_RETENTION_DAYS`, if that is set, and old entries of the audit log."""
        self.stores.audit_log.sweep()
        days = self.retention_days
        return Swept(turns=0, sessions=0) if days is None else self.stores.privacy.sweep(days)

    async def sweep_daily(
        self,
        *,
        wait: Callable[[float], Awaitable[object]] = asyncio.sleep,
        is_mine: Callable[[], Awaitable[bool]] = _always,
    ) -> None:
        """Sweep after each day of serving, until cancelled; a day on which the store is away is left out.

        Where `is_mine` says no, another process does it.
        """
        while True:
            await wait(DAY_S)
            if not await is_mine():
                continue
            try:
                await asyncio.to_thread(self.sweep)
            except VtaError as failure:
                _log.error("what is old could not be erased today: %s", failure.message)


def learner_json(
    learner_id: str, sessions: Sequence[LearnerSession], scores: Sequence[LearnerScore]
) -> dict[str, JsonValue]:
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
        "lti_scores": [asdict(score) | {"since": score.since.isoformat()} for score in scores],
    }


def _turn_json(kept: LearnerTurn) -> JsonValue:
    return {
        "turn_id": kept.turn.id,
        "number": kept.turn.number,
        "asked_at": kept.turn.created_at.isoformat(),
        "question": kept.turn.question,
        "answer": answer_to_json(kept.turn.answer),
        "position": asdict(kept.position),
        "feedback": {"rating": kept.rating, "reason": kept.reason, "comment": kept.comment},
        "ta_question": kept.ta_state,
        "ta_reason": kept.ta_reason,
        "ta_standalone_question": kept.ta_standalone,
        "ta_email": kept.ta_email,
        "ta_messages": [
            {
                "from": "learner" if each.kind is MessageKind.STUDENT else "ta",
                "kind": each.kind,
                "text": each.text,
                "at": each.created_at.isoformat(),
            }
            for each in kept.ta_messages
        ],
        "review": {"mark": kept.review_mark, "note": kept.review_note},
        "guard": {"kind": kept.guard_kind, "malicious": kept.guard_malicious},
    }
