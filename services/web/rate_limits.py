"""Limits of questions and requests by learner, key and address.

A sliding window: the requests admitted in the present window, and the share of the window before that still
lies within its length. A refused request is not counted, so waiting helps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from services.settings import Settings
from services.web.callers import address_of
from services.web.counters import LocalCounters, SharedCounters
from services.web.layers import HttpLayer, with_headers
from services.web.problems import ProblemRaised, too_many
from vta.types.courses import CourseKey
from vta.types.questions import Question

WINDOW_S = 60
FAILED_LOG_INS, FAILED_FOR_ACCOUNT, FAILED_FROM_ADDRESS = 10, 30, 100
"""A minute: of one account from one address, of one account, and from one address, maybe a whole campus."""
_LEFT = "vta_allowance"
_FREE = frozenset({"/healthz", "/readyz", "/metrics"})
"""Never counted, so that no monitor is locked out."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """A limit of one subject; `name` is a digest, so that no store of counts holds an id."""

    kind: str
    subject: str
    most: int

    @property
    def name(self) -> str:
        return f"{self.kind}:{sha256(self.subject.encode('utf-8', 'replace')).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The rest of a limit: `left` of `most` in the `reset_s` seconds until the present window ends."""

    kind: str
    most: int
    left: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        """The header fields of the IETF draft "RateLimit header fields for HTTP" (version 10)."""
        return {
            "RateLimit-Policy": f'"{self.kind}";q={self.most};w={WINDOW_S}',
            "RateLimit": f'"{self.kind}";r={self.left};t={self.reset_s}',
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """A request that a bound counted; `wait_s` is 0 where it is admitted."""

    allowance: Allowance
    wait_s: int
    take_back: Callable[[], Awaitable[None]]


class RateLimits:
    """Admits requests within the limits, counted by all processes together, or else in this one."""

    def __init__(
        self,
        settings: Settings,
        *,
        shared: SharedCounters,
        now: Callable[[], float] = time.time,
        refused: Callable[[str], None] = lambda kind: None,
    ) -> None:
        """The settings' limits are requests a minute; 0 switches one off.

        While the processes cannot count together, each admits its share, by `settings.processes`. `now` gives
        seconds that all processes agree on; `refused` is called with the kind of each limit hit.
        """
        self._refused = refused
        self._settings = settings
        self._shared = shared
        self._local = LocalCounters()
        self._now = now

    async def admit_question(
        self, question: Question, *, address: str, key: CourseKey | None
    ) -> Allowance | None:
        """Count a question and return the nearest limit's allowance.

        429 where the learner (else the session), the key or the address asked too many. A learner is one of a
        course, in all sessions together. Without a key the address is a bound, since names and sessions are
        free.
        """
        settings, course, bounds = self._settings, question.course_id, list[_Bound]()
        if question.learner_id is not None:
            bounds.append(_Bound("learner", f"{course}\n{question.learner_id}", settings.limit_learner))
        elif question.session_id is not None:
            bounds.append(_Bound("session", f"{course}\n{question.session_id}", settings.limit_learner))
        if key is not None:
            bounds.append(_Bound("key", key.id, settings.limit_key))
        else:
            bounds.append(_Bound("address", f"asks\n{address}", settings.limit_address))
        return _nearest(await self._admit(bounds))

    async def admit_address(self, address: str) -> Allowance | None:
        """Count a request of any kind; 429 where its address has sent too many."""
        return _nearest(await self._admit([_Bound("address", address, self._settings.limit_requests)]))

    async def admit_log_in(self, address: str, name: str) -> Callable[[], Awaitable[None]]:
        """Count a log-in to the account or key `name` as failed; 429 where too many failed.

        The caller awaits the returned function after a log-in that succeeded, which takes the count back.
        """
        bounds = (
            _Bound("account", f"logs in from\n{address}\n{name}", FAILED_LOG_INS),
            _Bound("account", f"logs in as\n{name}", FAILED_FOR_ACCOUNT),
            _Bound("address", f"logs in\n{address}", FAILED_FROM_ADDRESS),
        )
        counted = await self._admit(bounds)

        async def succeeded() -> None:
            for each in counted:
                await each.take_back()

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
                    await each.take_back()
                self._refused(bound.kind)
                raise too_many(bound.kind, added.wait_s, headers=added.allowance.headers())
        return counted

    async def _count(self, bound: _Bound) -> _Counted:
        now = self._now()
        window, passed = int(now // WINDOW_S), now % WINDOW_S
        shared, local, name, most = self._shared, self._local, bound.name, bound.most
        counts = await shared.add(name, window, WINDOW_S)

        async def take_back() -> None:
            if counts is None:
                local.take_back(name, window)
            else:
                await shared.take_back(name, window)

        if counts is None:
            most = max(1, most // self._settings.processes)
        before, within = counts or local.add(name, window)
        used = before * (1 - passed / WINDOW_S) + within
        left, reset_s = max(0, math.floor(most - used)), math.ceil(WINDOW_S - passed)
        return _Counted(
            allowance=Allowance(kind=bound.kind, most=most, left=left, reset_s=reset_s),
            wait_s=0 if used <= most else _wait(before, within - 1, most, passed),
            take_back=take_back,
        )


def _nearest(counted: Sequence[_Counted]) -> Allowance | None:
    return min((each.allowance for each in counted), key=lambda each: each.left, default=None)


def _wait(before: int, within: int, most: int, passed: float) -> int:
    """Whole seconds until one more fits: the older window slides out, then the present one does."""
    if before and within + 1 <= most:
        return max(1, math.ceil(WINDOW_S * (1 - (most - within - 1) / before) - passed))
    rest = WINDOW_S - passed
    return max(1, math.ceil(rest + WINDOW_S * max(0.0, 1 - (most - 1) / max(within, 1))))


class AddressLimit(HttpLayer):
    """Counts every request for its address, however its path is spelled."""

    def __init__(self, app: ASGIApp, *, limits: RateLimits) -> None:
        super().__init__(app)
        self._limits = limits

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in _FREE:
            await self._app(scope, receive, send)
            return
        try:
            note_allowance(scope, await self._limits.admit_address(address_of(scope)))
        except ProblemRaised as refused:
            await refused.response()(scope, receive, send)
            return

        def add(headers: MutableHeaders) -> None:
            left = allowance(scope)
            for name, value in (left.headers() if left else {}).items():
                headers.setdefault(name, value)

        await self._app(scope, receive, with_headers(send, add))


def note_allowance(scope: Scope, left: Allowance | None) -> None:
    """Set the allowance that the reply to this request shows; the last limit that counted is the nearest."""
    if left is not None:
        scope.setdefault("state", {})[_LEFT] = left


def allowance(scope: Scope) -> Allowance | None:
    """The allowance that was noted last."""
    found = scope.get("state", {}).get(_LEFT)
    return found if isinstance(found, Allowance) else None
