"""`Idempotency-Key`: a POST that is sent again has one effect and gets one reply.

The key counts for one caller, address and course: same key and same request, the stored reply; another
request, 422; while the first is at work, 409. Kept for 24 hours are replies that will not change: not those
of 5xx, of missing rights (401, 403), of limits (429) or of time-outs, after which the request may be made
again. A stream is kept whole, and only if it was answered to its end and nobody left before; a reply marked
`no-store` shows a secret and is never kept: the same request gets 409 afterwards.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from hashlib import sha256

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.store.idempotency import Attempt, InProgress, SqlIdempotency, StoredReply
from services.web.callers import address_of, bearer_of
from services.web.layers import HttpLayer
from services.web.problems import problem_response
from vta.errors import InvalidInput, NotWritable, VtaError
from vta.faults import Fault
from vta.types.courses import CourseId, SessionId

LARGEST_REPLY = 1_000_000
"""The longest stored reply, in bytes."""
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_COURSE = re.compile(r"/v1/courses/([^/]+)/")
_NOT_KEPT = frozenset({401, 403, 408, 413, 425, 429, 499})
_STREAM = "text/event-stream"
_REPLAYED = ("content-type", "etag", "location")
_AGAIN_AFTER_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
"""Between two tries to settle an attempt while the store is away."""

_log = logging.getLogger(__name__)


class Idempotency(HttpLayer):
    """Handles every POST under /v1 that has an `Idempotency-Key`."""

    def __init__(self, app: ASGIApp, *, store: SqlIdempotency, check_key: Callable[[str], object]) -> None:
        super().__init__(app)
        self._store = store
        self._check_key = check_key
        self._later: set[asyncio.Task[None]] = set()

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or not scope["path"].startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        key = headers.get("idempotency-key")
        if headers.get("content-type", "").startswith("multipart/"):
            key = None  # files are not held in memory; what is uploaded again is known by its content
        try:
            if key is None or await self._is_refused(bearer_of(headers)):
                await self._app(scope, receive, send)
                return
            if not _KEY.fullmatch(key):
                raise InvalidInput(Fault("api.idempotency_key"), field="Idempotency-Key")
        except VtaError as failure:
            await problem_response(failure)(scope, receive, send)
            return
        await self._once(key, headers, scope, receive, send)

    async def _is_refused(self, bearer: str) -> bool:
        """True for a key that is refused by now, which must not get stored replies."""
        return bearer.startswith("vta_") and await run_in_threadpool(self._check_key, bearer) is None

    async def _once(self, key: str, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        course = _COURSE.match(scope["path"])
        try:
            begun = await run_in_threadpool(
                self._store.begin,
                _digest(key, headers, scope),
                request_hash=_hash(body, scope),
                course_id=CourseId(course[1]) if course else None,
            )
        except NotWritable:  # nothing can be kept, so the request cannot be known again
            await self._app(scope, _replaying(body, receive), send)
            return
        except VtaError as refused:
            told = problem_response(refused)
            if isinstance(refused, InProgress):
                told.headers["Retry-After"] = "1"
            await told(scope, receive, send)
            return
        if isinstance(begun, StoredReply):
            kept = {**begun.headers, "Idempotency-Replayed": "true"}
            await Response(begun.body, begun.status, kept)(scope, receive, send)
            return
        await self._work(begun, body, scope, receive, send)

    async def _work(self, attempt: Attempt, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Do the request and send its reply, whose end is sent once the reply is stored.

        The right to do it is released where it was not done.
        """
        settled = False

        async def settle() -> None:
            nonlocal settled
            settled = True
            if not await run_in_threadpool(self._settle, attempt, reply, scope):
                later = asyncio.create_task(self._settle_later(attempt, reply, scope))
                self._later.add(later)
                later.add_done_callback(self._later.discard)

        reply = _Recorder(send, settle)

        try:
            await self._app(scope, _replaying(body, receive), reply.send)
        finally:
            if not settled:
                await asyncio.shield(settle())

    async def _settle_later(self, attempt: Attempt, reply: _Recorder, scope: Scope) -> None:
        """Settle once the store is back, so that the key is not held for as long as a dead process's."""
        for seconds in _AGAIN_AFTER_S:
            await asyncio.sleep(seconds)
            if await run_in_threadpool(self._settle, attempt, reply, scope):
                return

    def _settle(self, attempt: Attempt, reply: _Recorder, scope: Scope) -> bool:
        """Store the reply or release the right; False where the store cannot.

        The reply goes out either way, since the work is done.
        """
        try:
            if reply.is_final(scope):
                session = answered_session(scope)
                self._store.finish(attempt, reply.stored(), keep=reply.may_be_kept, session_id=session)
            else:
                self._store.give_up(attempt)
        except VtaError as failure:
            _log.warning("the reply to an Idempotency-Key is not kept yet: %s", failure.message)
            return False
        return True


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A `receive` that repeats a body which was read already."""
    given = [body]

    async def receive_again() -> Message:
        if given:
            return {"type": "http.request", "body": given.pop(), "more_body": False}
        return await receive()

    return receive_again


class _Recorder:
    """Remembers a reply and sends it on; `settle` is awaited before its end is sent."""

    def __init__(self, send: Send, settle: Callable[[], Awaitable[None]]) -> None:
        self._send = send
        self._settle = settle
        self._status = 500
        self._headers = Headers()
        self._body = bytearray()
        self._ended = False
        self._too_long = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = MutableHeaders(raw=list(message.get("headers", [])))
        elif message["type"] == "http.response.body":
            self._too_long = self._too_long or len(self._body) > LARGEST_REPLY
            if not self._too_long:
                self._body += message.get("body", b"")
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._ended = True
            await self._settle()
        await self._send(message)

    @property
    def _is_stream(self) -> bool:
        return self._headers.get("content-type", "").startswith(_STREAM)

    def is_final(self, scope: Scope) -> bool:
        """True if the request was done, so that it must not be repeated."""
        if not self._ended or self._status >= 500 or self._status in _NOT_KEPT:
            return False
        return not self._is_stream or answered_session(scope) is not None

    @property
    def may_be_kept(self) -> bool:
        """True if the reply shows no secret and is not too long."""
        secret = not self._is_stream and "no-store" in self._headers.get("cache-control", "")
        return not self._too_long and not secret

    def stored(self) -> StoredReply:
        headers = {name: self._headers[name] for name in _REPLAYED if name in self._headers}
        return StoredReply(status=self._status, headers=headers, body=bytes(self._body))


def _digest(key: str, headers: Headers, scope: Scope) -> str:
    """The key of one caller at one address of the API; who has no key or cookie is their network address."""
    rights = [headers.get("authorization", ""), headers.get("cookie", "")]
    caller = rights if any(rights) else [address_of(scope)]
    return sha256(json.dumps([scope["path"], caller, key]).encode()).hexdigest()


def _hash(body: bytes, scope: Scope) -> str:
    """The same for bodies that say the same, in whatever order."""
    try:
        said = json.dumps(json.loads(body), sort_keys=True).encode()
    except (ValueError, RecursionError):
        said = body
    return sha256(scope.get("query_string", b"") + b"\n" + said).hexdigest()


_ANSWERED = "vta_answered_session"


def note_answered(scope: Scope, session_id: SessionId) -> None:
    """The question of this request was answered whole, and its turn is stored in this session."""
    scope.setdefault("state", {})[_ANSWERED] = session_id


def answered_session(scope: Scope) -> SessionId | None:
    """The session in which this request's answer is stored; None where it has none yet."""
    found = scope.get("state", {}).get(_ANSWERED)
    return SessionId(found) if isinstance(found, str) else None
