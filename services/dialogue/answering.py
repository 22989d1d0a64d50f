"""Answers to questions by HTTP, for every form of reply: limits, counts and shutdown."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Annotated, TypeVar
from weakref import WeakValueDictionary

import anyio
from fastapi import Request
from sse_starlette import EventSourceResponse

from services.dialogue.conditions import Arrangement
from services.people.authenticator import Authenticator, Principal
from services.store.process_locks import ProcessLocks
from services.web.callers import address_of
from services.web.idempotency import note_answered
from services.web.metrics import Metrics
from services.web.problems import course_archived, too_many
from services.web.rate_limits import RateLimits, note_allowance
from services.web.serving import part_of_app
from services.web.shutdown import GracefulShutdown, until_closing, while_connected
from services.wiring import Platform
from vta.dialogue.awaiting import Await, AwaitStream, Path, follow
from vta.types.answers import Answer, DialogueEvent
from vta.types.courses import Course, CourseId, SessionId
from vta.types.pairs import Degradation
from vta.types.questions import Question

NOT_STORED = Degradation(stage="store", reason="the answer could not be stored; it is gone with the page")
_COME_BACK_S = 2
_FIRST_PAUSE_S = 0.005
_LONGEST_PAUSE_S = 0.1

_log = logging.getLogger(__name__)


class SessionOrder:
    """Admits questions: those of one event loop in the order they came, processes by their locks."""

    def __init__(self, most: int, *, locks: ProcessLocks, patience_s: float = 60.0) -> None:
        """At most `most` questions of a course may be under way here, waiting ones included; 0 for any.

        Another process that holds a session for longer than `patience_s` is not waited for any more.
        """
        self._most = most
        self._locks = locks
        self._patience_s = patience_s
        self._under_way: Counter[CourseId] = Counter()
        self._turns = WeakValueDictionary[tuple[CourseId, SessionId], asyncio.Lock]()

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
        turn = self._turns.setdefault(session, asyncio.Lock())  # lives as long as someone holds it
        name = "\n".join(session)
        async with turn:  # first come, first served
            pause_s, until = _FIRST_PAUSE_S, time.monotonic() + self._patience_s
            try:
                while not await self._locks.try_lock(name):
                    if time.monotonic() > until:
                        _log.warning("another process holds a session for long; it is not waited for")
                        break
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                yield
            finally:
                await self._locks.unlock(name)


T = TypeVar("T")
HEARTBEAT_S = 10


class Answering:
    """Answers questions of one platform within its limits, and counts each answer.

    Where no other service is asked, the whole of an answer is one job of one thread: each job that a thread
    takes over from the event loop costs more than most steps of an answer.
    """

    def __init__(
        self,
        platform: Platform,
        authenticator: Authenticator,
        *,
        limits: RateLimits,
        metrics: Metrics,
        closing: GracefulShutdown,
        locks: ProcessLocks,
    ) -> None:
        self._assistant = platform.assistant
        self._authenticator = authenticator
        self._courses = platform.stores.courses
        self._limits = limits
        self._metrics = metrics
        self._closing = closing
        settings, self._sessions = platform.settings, platform.stores.sessions
        self._arrangement = Arrangement(stores=platform.stores, models=settings.course_models)
        self._most_a_day = settings.limit_learner_day
        self._order = SessionOrder(settings.limit_course, locks=locks, patience_s=2 * settings.llm_timeout_s)

    async def admit(self, request: Request, who: Principal, asked: Question) -> Question:
        """The question in the name of its asker.

        429 where the course is full, or the caller has asked too many questions in a minute or, as a learner,
        in 24 hours; then it is not counted.
        """
        find = self._authenticator.question_of
        question = await asyncio.to_thread(find, who, asked) if asked.session_id else find(who, asked)
        self._order.require_room(question.course_id)
        if self._most_a_day and question.learner_id is not None:
            course_id, learner_id = question.course_id, question.learner_id
            wait = await asyncio.to_thread(self._sessions.day_ends, course_id, learner_id, self._most_a_day)
            if wait is not None:
                self._metrics.count_limited("learner_day")
                raise too_many("learner", math.ceil(wait.total_seconds()))
        address = address_of(request.scope)
        left = await self._limits.admit_question(question, address=address, key=who.key)
        note_allowance(request.scope, left)
        return question

    def require_open(self, course_id: CourseId) -> Course:
        """The course; 409 where it is archived, so that nothing can be asked in it; `NotFound` for none."""
        course = self._courses.course(course_id)
        if course.archived:
            raise course_archived()
        return course

    async def answer(self, request: Request, question: Question, render: Callable[[Answer], T]) -> T | None:
        """The answer as `render` makes it, off the event loop; None where the client left.

        409 where the course is archived, `NotFound` for no course. `NotReady` where the server closes down
        first; 429 where too many questions of the course are under way, here and in `stream`.
        """
        done = await while_connected(request, self._answer_in_turn(question, render), self._closing)
        if done is None:
            return None
        answer, rendered = done
        self._note(request, answer)
        return rendered

    async def stream(self, request: Request, question: Question) -> AsyncGenerator[DialogueEvent, None]:
        """The events of the answer; before the first one 409 and `NotFound` as in `answer`.

        `NotReady` where the server closes down before the last one.
        """
        async with aclosing(until_closing(self._stream_in_turn(question), self._closing)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    self._note(request, event)
                yield event

    def load(self) -> int:
        """Questions that are under way in this process, those that wait for their turn included."""
        return self._order.load()

    def send(self, events: AsyncGenerator[bytes | dict[str, str], None]) -> EventSourceResponse:
        """A reply of server-sent events, with heartbeats, which end when the server closes down."""
        return EventSourceResponse(
            events,
            ping=HEARTBEAT_S,
            shutdown_event=anyio.Event(),
            shutdown_grace_period=self._closing.grace_s,
        )

    async def _answer_in_turn(self, question: Question, render: Callable[[Answer], T]) -> tuple[Answer, T]:
        async with self._order.turn(question), aclosing(follow(self._path(question, render))) as events:
            async for event in events:
                if isinstance(event, tuple):
                    return event
        raise AssertionError("a path ends with its answer")

    async def _stream_in_turn(self, question: Question) -> AsyncGenerator[DialogueEvent, None]:
        answering: AsyncGenerator[DialogueEvent, None] = follow(self._open_path(question))
        async with self._order.turn(question), aclosing(answering) as events:
            async for event in events:
                yield event

    def _path(self, question: Question, render: Callable[[Answer], T]) -> Path[tuple[Answer, T]]:
        """The answer alone, rendered in the same job of a thread."""
        for event in self._open_path(question):
            if isinstance(event, Await | AwaitStream):
                yield event
            elif isinstance(event, Answer):
                yield event, render(event)

    def _open_path(self, question: Question) -> Path[DialogueEvent]:
        """The path of a question in a course that is not archived."""
        question, course = self._arrangement.of(question)
        if course.archived:
            raise course_archived()
        for event in self._assistant.path(question, course):
            if isinstance(event, Answer) and self._sessions.is_unstored(event.turn_id):
                yield replace(event, degraded=NOT_STORED)
            else:
                yield event

    def _note(self, request: Request, answer: Answer) -> None:
        self._metrics.count_answer(answer)
        note_answered(request.scope, answer.session_id)


AnsweringHere = Annotated[Answering, part_of_app(lambda parts: parts.answering)]
"""What answers questions, as a parameter of a route."""
