"""How much one student, one key and one address may ask: the nearest limit first, the address as outer bound.

A sliding window: what was admitted in the present window, and the share of the window before that still lies
within its length. A refused request is not counted, so that whoever waits is let in again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.settings import Settings
from services.web.callers import address_of
from services.web.counters import LocalCounters, SharedCounters
from services.web.problems import ProblemRaised, too_many
from vta.types.courses import CourseKey
from vta.types.questions import Question

WINDOW_S = 60
FAILED_LOG_INS, FAILED_FOR_ACCOUNT, FAILED_FROM_ADDRESS = 10, 30, 100
"""A minute: of one account from one address, of one account, and from one address, maybe a whole campus."""
_LEFT = "vta_allowance"
_FREE = frozenset({"/healthz", "/readyz", "/metrics"})
"""What is never counted, so that nobody who watches the server is locked out."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """A limit of one subject, by a name that tells nothing of them."""

    kind: str
    subject: str
    most: int

    @property
    def name(self) -> str:
        return f"{self.kind}:{sha256(self.subject.encode('utf-8', 'replace')).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What is left of a limit: `left` of `most` in the `reset_s` seconds until the present window ends."""

    kind: str
    most: int
    left: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        """As the IETF draft "RateLimit header fields for HTTP" (version 10) has them."""
        return {
            "RateLimit-Policy": f'"{self.kind}";q={self.most};w={WINDOW_S}',
            "RateLimit": f'"{self.kind}";r={self.left};t={self.reset_s}',
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """One more of a bound, where it was counted, and how long it has to wait; 0 where it is admitted."""

    name: str
    window: int
    is_shared: bool
    wait_s: int
    allowance: Allowance


class RateLimits:
    """Admits requests within the limits, counted in this process or, with `shared`, by several together."""

    def __init__(
        self,
        settings: Settings,
        *,
        shared: SharedCounters | None = None,
        now: Callable[[], float] = time.time,
        refused: Callable[[str], None] = lambda kind: None,
    ) -> None:
        """The settings' limits are requests a minute; 0 switches one off. While the processes cannot count
        together, each admits its share, by `settings.processes`.

        `now` gives seconds that all processes agree on; `refused` is told the kind of each limit hit.
        """
        self._refused = refused
        self._settings = settings
        self._shared = shared
        self._local = LocalCounters()
        self._now = now

    async def admit_question(
        self, question: Question, *, address: str, key: CourseKey | None
    ) -> Allowance | None:
        """Count a question and say what is left of the nearest limit.

        429 where the learner (else the session), the key or the address asked too many.
        A learner is one of a course, however many sessions they have. Who bears no key is bound by the
        address, since new names and sessions cost nothing.
        """
        bounds: list[_Bound] = []
        if (learner := question.learner_id) is not None:
            bounds.append(_Bound("learner", f"{question.course_id}\n{learner}", self._settings.limit_learner))
        elif (session := question.session_id) is not None:
            bounds.append(_Bound("session", f"{question.course_id}\n{session}", self._settings.limit_learner))
        if key is not None:
            bounds.append(_Bound("key", key.id, self._settings.limit_key))
        else:
            bounds.append(_Bound("address", f"asks\n{address}", self._settings.limit_address))
        return _nearest(await self._admit(bounds))

    async def admit_address(self, address: str) -> Allowance | None:
        """Count a request of any kind; 429 where its address has sent too many."""
        return _nearest(await self._admit([_Bound("address", address, self._settings.limit_requests)]))

    async def admit_log_in(self, address: str, name: str) -> Callable[[], Awaitable[None]]:
        """Count a log-in as failed; 429 where too many did. What is returned takes it back: it succeeded.

        `name` is the account or the key that is to be opened.
        """
        bounds = (
            _Bound("account", f"logs in from\n{address}\n{name}", FAILED_LOG_INS),
            _Bound("account", f"logs in as\n{name}", FAILED_FOR_ACCOUNT),
            _Bound("address", f"logs in\n{address}", FAILED_FROM_ADDRESS),
        )
        counted = await self._admit(bounds)

        async def succeeded() -> None:
            for each in counted:
                await self._take_back(each)

        return succeeded

    async def _admit(self, bounds: Sequence[_Bound]) -> Sequence[_Counted]:
        """Count for every bound, or, where one refuses, for none."""
        counted: list[_Counted] = []
        for bound in bounds:
            if not bound.most:
                continue
            added = await self._count(bound)
            counted.append(added)
            if added.wait_s:
                for each in counted:
                    await self._take_back(each)
                self._refused(bound.kind)
                raise too_many(bound.kind, added.wait_s, headers=added.allowance.headers())
        return counted

    async def _take_back(self, counted: _Counted) -> None:
        if self._shared is not None and counted.is_shared:
            await self._shared.take_back(counted.name, counted.window)
        else:
            self._local.take_back(counted.name, counted.window)

    async def _count(self, bound: _Bound) -> _Counted:
        """Count one more, which has to be taken back where it has to wait."""
        now = self._now()
        window, passed = int(now // WINDOW_S), now % WINDOW_S
        shared, most = self._shared, bound.most
        counts = await shared.add(bound.name, window, WINDOW_S) if shared else None
        if counts is None:
            most = most if shared is None else max(1, most // self._settings.processes)
        before, within = counts or self._local.add(bound.name, window)
        used = before * (1 - passed / WINDOW_S) + within
        return _Counted(
            name=bound.name,
            window=window,
            is_shared=counts is not None,
            wait_s=0 if used <= most else _wait(before, within - 1, most, passed),
            allowance=Allowance(
                kind=bound.kind,
                most=most,
                left=max(0, math.floor(most - used)),
                reset_s=math.ceil(WINDOW_S - passed),
            ),
        )


def _nearest(counted: Sequence[_Counted]) -> Allowance | None:
    """The limit of which least is left."""
    return min((each.allowance for each in counted), key=lambda each: each.left, default=None)


def _wait(before: int, within: int, most: int, passed: float) -> int:
    """Whole seconds until one more fits: the older window slides out, then the present one does."""
    if before and within + 1 <= most:
        return max(1, math.ceil(WINDOW_S * (1 - (most - within - 1) / before) - passed))
    rest = WINDOW_S - passed
    return max(1, math.ceil(rest + WINDOW_S * max(0.0, 1 - (most - 1) / max(within, 1))))


class AddressLimit:
    """ASGI middleware: every request counts for its address, whatever its path is spelled like."""

    def __init__(self, app: ASGIApp, *, limits: RateLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _FREE:
            await self._app(scope, receive, send)
            return
        try:
            note_allowance(scope, await self._limits.admit_address(address_of(scope)))
        except ProblemRaised as refused:
            await refused.response()(scope, receive, send)
            return

        async def send_with_limit(message: Message) -> None:
            left = allowance(scope)
            if message["type"] == "http.response.start" and left is not None:
                headers = MutableHeaders(scope=message)
                for name, value in left.headers().items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_limit)


def note_allowance(scope: Scope, left: Allowance | None) -> None:
    """What the reply to this request says is left; the last limit that counted it is the nearest."""
    if left is not None:
        scope.setdefault("state", {})[_LEFT] = left


def allowance(scope: Scope) -> Allowance | None:
    """What was noted last."""
    found = scope.get("state", {}).get(_LEFT)
    return found if isinstance(found, Allowance) else None
