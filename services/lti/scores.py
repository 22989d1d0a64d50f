"""Sends the scores that are due to the platforms."""

from __future__ import annotations

import asyncio
import logging

from services.lti.outgoing import Unreachable
from services.lti.platform_services import PlatformServices
from services.storage.lti_platforms import SqlLtiPlatforms
from services.storage.lti_scores import ScoreOfLearner, SqlLtiScores
from vta.ports import Clock

_log = logging.getLogger(__name__)


class ScoreSender:
    """Sends the scores that this process has claimed from a store that other processes send from too."""

    def __init__(
        self, *, scores: SqlLtiScores, platforms: SqlLtiPlatforms, services: PlatformServices, clock: Clock
    ) -> None:
        self._scores = scores
        self._platforms = platforms
        self._services = services
        self._clock = clock

    async def send_due(self) -> int:
        """Try every score whose time has come; returns how many the platforms took."""
        due = await asyncio.to_thread(self._scores.claim)
        return sum(await asyncio.gather(*map(self._send, due)))

    async def _send(self, score: ScoreOfLearner) -> bool:
        known = await asyncio.to_thread(self._platforms.platform, score.platform_id)
        try:
            await self._services.complete(known, score.lineitem, score.subject, self._clock.now())
            is_sent = True
        except Unreachable as failure:
            _log.warning("LTI: a score of course %s was not taken: %s", score.course_id, failure)
            is_sent = False
        await asyncio.to_thread(self._scores.settle, score, is_sent=is_sent)
        return is_sent
