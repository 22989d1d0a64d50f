"""How a question by HTTP is answered, whatever the shape of its reply: limits, counts, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
from fastapi import Request
from sse_starlette import EventSourceResponse

from services.api.session_order import SessionOrder
from services.http.callers import Caller, address_of
from services.http.disconnect import until_closing, while_connected
from services.http.metrics import Metrics
from services.http.problems import course_archived
from services.http.rate_limits import RateLimits, note_allowance
from services.http.request_state import note_answered
from services.http.shutdown import GracefulShutdown
from services.identity.authenticator import Principal
from services.storage.process_locks import ProcessLocks
from services.wiring import Platform
from vta.types import Answer, CourseId, DialogueEvent, Question

HEARTBEAT_S = 10


class Answering:
    """Answers questions of one platform within its limits, and tells the metrics of each answer."""

    def __init__(
        self,
        platform: Platform,
        *,
        limits: RateLimits,
        metrics: Metrics,
        closing: GracefulShutdown,
        locks: ProcessLocks | None = None,
    ) -> None:
        self._assistant = platform.assistant
        self._courses = platform.stores.courses
        self._limits = limits
        self._metrics = metrics
        self._closing = closing
        settings = platform.settings
        self._order = SessionOrder(
            settings.limit_course, locks=locks, patience_s=2 * settings.answer_timeout_s
        )

    async def admit(self, request: Request, who: Principal, question: Question) -> None:
        """429 where the course is full or the caller has asked too many questions; then it is not counted.

        409 where the course is archived.
        """
        await self.require_open(question.course_id)
        self._order.require_room(question.course_id)
        caller = Caller(course_id=who.course_id, address=address_of(request.scope), key=who.key)
        left = await self._limits.admit_question(
            caller, learner=question.learner_id, session=question.session_id
        )
        note_allowance(request.scope, left)

    async def require_open(self, course_id: CourseId) -> None:
        """409 where the course is archived, so that nothing can be asked in it; `NotFound` for no course."""
        if (await asyncio.to_thread(self._courses.course, course_id)).archived:
            raise course_archived()

    async def answer(self, request: Request, question: Question) -> Answer | None:
        """The answer; None where the client left, `NotReady` where the server closes down first.

        429 where too many questions of the course are under way, here and in `stream`.
        """
        answer = await while_connected(request, self._answer_in_turn(question), self._closing)
        if answer is not None:
            self._note(request, answer)
        return answer

    async def stream(self, request: Request, question: Question) -> AsyncGenerator[DialogueEvent, None]:
        """The events of the answer; `NotReady` where the server closes down before the last one."""
        async with aclosing(until_closing(self._stream_in_turn(question), self._closing)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    self._note(request, event)
                yield event

    def send(self, events: AsyncGenerator[dict[str, str], None]) -> EventSourceResponse:
        """A reply of server-sent events, with heartbeats, which end when the server closes down."""
        return EventSourceResponse(
            events,
            ping=HEARTBEAT_S,
            shutdown_event=anyio.Event(),
            shutdown_grace_period=self._closing.grace_s,
        )

    async def _answer_in_turn(self, question: Question) -> Answer:
        async with self._order.turn(question):
            return await self._assistant.answer(question)

    async def _stream_in_turn(self, question: Question) -> AsyncGenerator[DialogueEvent, None]:
        async with self._order.turn(question), aclosing(self._assistant.stream(question)) as events:
            async for event in events:
                yield event

    def _note(self, request: Request, answer: Answer) -> None:
        self._metrics.count_answer(answer)
        note_answered(request.scope, answer.session_id)
