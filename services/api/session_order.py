"""The order of questions: one at a time in a session, and not too many of one course at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from services.http.problems import too_many
from vta.types import CourseId, Question, SessionId

_COME_BACK_S = 2


@dataclass(slots=True)
class _Line:
    """The questions of one session that are being answered or wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    members: int = 0


class SessionOrder:
    """Lets questions through, within one process and one event loop."""

    def __init__(self, most: int) -> None:
        """At most `most` questions of a course may be under way, waiting ones included; 0 for any number."""
        self._most = most
        self._under_way: Counter[CourseId] = Counter()
        self._lines: dict[tuple[CourseId, SessionId], _Line] = {}

    def require_room(self, course: CourseId) -> None:
        """429 where as many questions of the course are under way as may be."""
        if self._most and self._under_way[course] >= self._most:
            raise too_many("course", _COME_BACK_S)

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
            async with line.lock:  # first come, first served
                yield
        finally:
            line.members -= 1
            if not line.members:
                del self._lines[session]
