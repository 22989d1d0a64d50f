"""The order of questions: one at a time in a session, and not too many of one course at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from services.http.problems import too_many
from services.storage.process_locks import ProcessLocks
from vta.types import CourseId, Question, SessionId

_COME_BACK_S = 2
_FIRST_PAUSE_S = 0.005
_LONGEST_PAUSE_S = 0.1

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Line:
    """The questions of one session that are being answered or wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    members: int = 0


class SessionOrder:
    """Lets questions through: those of one event loop in the order they came, processes by their locks."""

    def __init__(self, most: int, *, locks: ProcessLocks | None = None, patience_s: float = 60.0) -> None:
        """At most `most` questions of a course may be under way here, waiting ones included; 0 for any.

        Without `locks` no other process is minded. One that keeps a session for longer than `patience_s` is
        not waited for any more.
        """
        self._most = most
        self._locks = locks
        self._patience_s = patience_s
        self._under_way: Counter[CourseId] = Counter()
        self._lines: dict[tuple[CourseId, SessionId], _Line] = {}

    def require_room(self, course: CourseId) -> None:
        """429 where as many questions of the course are under way as may be."""
        if self._most and self._under_way[course] >= self._most:
            raise too_many("course", _COME_BACK_S)

    def load(self) -> int:
        """Questions of all courses that are under way here, waiting ones included."""
        return self._under_way.total()

    @asynccontextmanager
    async def turn(self, question: Question) -> AsyncIterator[None]:
        """The question's turn, after the earlier ones of its session have ended; 429 at a full course."""
        course = question.course_id
        self.require_room(course)
        self._under_way[course] += 1
        try:
            if question.session_id is None:
                yield
            else:
                async with self._in_line((course, question.session_id)):
                    yield
        finally:
            self._under_way[course] -= 1
            if not self._under_way[course]:
                del self._under_way[course]

    @asynccontextmanager
    async def _in_line(self, session: tuple[CourseId, SessionId]) -> AsyncIterator[None]:
        line = self._lines.setdefault(session, _Line())
        line.members += 1
        try:
            async with line.lock, self._between_processes("\n".join(session)):  # first come, first served
                yield
        finally:
            line.members -= 1
            if not line.members:
                del self._lines[session]

    @asynccontextmanager
    async def _between_processes(self, session: str) -> AsyncIterator[None]:
        if self._locks is None:
            yield
            return
        pause_s, until = _FIRST_PAUSE_S, time.monotonic() + self._patience_s
        try:
            while not await self._locks.try_lock(session):
                if time.monotonic() > until:
                    _log.warning("another process keeps a session for long; it is not waited for")
                    break
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            yield
        finally:
            await self._locks.unlock(session)
