"""The clients of `full_stack.py`: students and instructors of several courses, who write down what they were
told is written and whatever should not have come back."""

from __future__ import annotations

import itertools
import json
import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from benchmarks.stack_ledger import Ledger

ANIMALS = ("Kestrel", "Marmot", "Osprey", "Tapir")
"""One for each course; every text of a course names its own, and no question names any."""
TRIES = 8
"""How often a write is sent under one Idempotency-Key until a reply comes."""
_PAUSE_S = 0.05
_PATIENCE_S = 0.5
"""Before a request is sent again."""
_TIMEOUT_S = 60.0
_DECLARED = ("upstream_failed", "not_ready")


@dataclass
class Seen:
    """How requests ended, and what must not happen."""

    ends: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    undeclared: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    stale: Counter[str] = field(default_factory=Counter)
    """Answers straight after an acknowledged edit: `new`, `old but declared`, `old`."""
    equal: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """First questions of each course in the very words of others: `shared` answers or `worked out`."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Client:
    """Speaks to the platform for one person of one course until it is told to stop."""

    def __init__(
        self,
        number: int,
        course: str,
        key: str,
        address: str,
        ledger: Ledger,
        seen: Seen,
        stop: threading.Event,
    ) -> None:
        self._draw = random.Random(number)
        self._number, self._course, self._key = number, course, key
        self._ledger, self._seen, self._stop = ledger, seen, stop
        self._others = tuple(each for each in ANIMALS if each.lower() != course)
        self._serial = itertools.count()
        # one connection a request, so that the balancer spreads them over the replicas
        self._http = httpx.Client(
            base_url=address,
            timeout=_TIMEOUT_S,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def run(self) -> None:
        with self._http:
            while not self._stop.is_set():
                self.round()

    def round(self) -> None:
        raise NotImplementedError

    def word(self) -> str:
        """A word that nobody else has written."""
        return f"zq{self._number}x{next(self._serial)}"

    def send(self, kind: str, method: str, path: str, *, own: bool = True, **options: Any) -> Any:
        """The reply's JSON, `{}` for 204, or None where there was none of 2xx; what came is counted.

        With `own` a POST is repeated under its Idempotency-Key until a reply comes that is no failure.
        """
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        headers |= options.pop("headers", {})
        tries = TRIES if method == "POST" and own else 1
        if tries > 1:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        for number in range(tries):
            if self._stop.wait(_PATIENCE_S if number else _PAUSE_S):
                return None
            begun = time.monotonic()
            end, found = self._once(method, f"/v1/courses/{self._course}/{path}", headers, options)
            with self._seen.lock:
                self._seen.ends[kind][end] += 1
                self._seen.ms[kind].append(1000 * (time.monotonic() - begun))
            if end.startswith("2"):
                return found
            if end not in ("broken", "declared 503", "409 in_progress"):
                return None
        return None

    def _once(
        self, method: str, path: str, headers: Mapping[str, str], options: Mapping[str, Any]
    ) -> tuple[str, Any]:
        try:
            reply = self._http.request(method, path, headers=headers, **options)
        except httpx.TimeoutException:
            return "timed out", None
        except httpx.TransportError:
            return "broken", None
        self._look_for_others(reply.text)
        if reply.headers.get("content-type", "").startswith("text/event-stream"):
            return self._end_of_stream(reply.text)
        found = reply.json() if reply.content else {}
        if reply.status_code == 503 and found.get("code") in _DECLARED:
            return "declared 503", None
        if reply.status_code == 409 and found.get("code") == "request_in_progress":
            return "409 in_progress", None
        if reply.status_code >= 500:
            with self._seen.lock:
                self._seen.undeclared.append(f"{method} {path}: {reply.status_code} {reply.text[:300]}")
        return str(reply.status_code), found if reply.is_success else None

    def _end_of_stream(self, text: str) -> tuple[str, Any]:
        """A stream ends with the answer, with a declared error, or it was broken off."""
        last = text.replace("\r\n", "\n").strip().rpartition("\n\n")[2]
        event, _, data = last.partition("\n")
        if event == "event: done":
            return "200 stream", json.loads(data.removeprefix("data:"))
        if event == "event: error" and any(f'"{code}"' in data for code in _DECLARED):
            return "declared 503", None
        if event != "event: error":
            return "broken", None
        with self._seen.lock:
            self._seen.undeclared.append(f"stream: {data[:300]}")
        return "error", None

    def _look_for_others(self, text: str) -> None:
        for animal in self._others:
            if animal in text:
                place = text.index(animal)
                with self._seen.lock:
                    self._seen.foreign.append(f"{self._course}: {text[max(place - 100, 0) : place + 100]}")
