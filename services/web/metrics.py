"""Metrics of the server for Prometheus. Labels hold no id, no text and no key."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.registry import Collector
from starlette.types import Scope

from services.web.fair_threads import FairThreads
from services.web.worker_metrics import LIVE, workers_folder, workers_registry
from vta.ingest.pipeline import IngestReport
from vta.types.answers import Answer

UNMATCHED = "unmatched"
_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_log = logging.getLogger(__name__)


class Metrics:
    """The counts of one application, in its own registry, exposed with those of the server's workers."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, figures: Collector) -> None:
        """`figures` are further ones, the same in every process."""
        self._registry = CollectorRegistry()
        counter = partial(Counter, registry=self._registry)
        self._requests = counter(
            "vta_http_requests", "Requests by route and status.", ["method", "route", "status"]
        )
        self._seconds = Histogram(
            "vta_http_request_duration_seconds",
            "Seconds until the reply was sent to its end.",
            ["method", "route"],
            buckets=_BUCKETS_S,
            registry=self._registry,
        )
        self._answers = counter("vta_answers", "Answers by the way they were found.", ["route"])
        self._degraded = counter(
            "vta_answers_degraded", "Answers in which a stage could not do its best.", ["stage"]
        )
        self._limited = counter("vta_limited", "Requests refused by a limit, by its kind.", ["kind"])
        self._in_flight = Gauge(
            "vta_http_requests_in_flight",
            "Requests whose reply has not ended.",
            registry=self._registry,
            multiprocess_mode=LIVE,
        )
        self.load = Load(self._registry)
        folder = workers_folder()
        self._exposed = workers_registry(folder) if folder else self._registry
        if folder is None:
            ProcessCollector(registry=self._registry)
        self._exposed.register(figures)

    def count_request(self, scope: Scope, *, status: int, seconds: float) -> None:
        """A reply was sent, or broken off; the scope is that after routing."""
        method, route = scope["method"] if scope["method"] in _METHODS else "other", route_of(scope)
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def count_answer(self, answer: Answer) -> None:
        self._answers.labels(answer.route.value).inc()
        if answer.degraded is not None:
            self._degraded.labels(answer.degraded.stage).inc()

    def count_limited(self, kind: str) -> None:
        self._limited.labels(kind).inc()

    def in_flight(self) -> AbstractContextManager[object]:
        """Around a request, from when it came in to when its reply ended or broke off."""
        return self._in_flight.track_inprogress()

    def expose(self) -> bytes:
        """Everything in the text format of Prometheus. Reads the store, so off the event loop."""
        self.load.sample()
        return generate_latest(self._exposed)


def route_of(scope: Scope) -> str:
    """The template of the route, in which parts that vary are names."""
    path = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) and path else UNMATCHED


SAMPLED_S = 1.0
_RESULTS = ("added", "unchanged", "rejected")


class Load:
    """Gauges that are set when they are read, and regularly for readers of all processes at once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._count_turns: Callable[[], int] = lambda: 0
        self._loads: dict[Gauge, Callable[[], tuple[int, int]]] = {}
        self._turns = Gauge(
            "vta_turns_in_flight",
            "Questions that are answered or wait for their turn.",
            registry=registry,
            multiprocess_mode=LIVE,
        )
        self._jobs, self._ingests = (
            Gauge(name, text, ["state"], registry=registry, multiprocess_mode=LIVE)
            for name, text in (
                ("vta_thread_jobs", "Jobs of requests for threads, running or waiting."),
                ("vta_ingests", "Uploads that are read, running or waiting."),
            )
        )
        self._ended = Counter(
            "vta_ingests_ended", "Uploads whose reading ended, done or failed.", ["state"], registry=registry
        )
        self._files = Counter(
            "vta_ingest_files", "Files of uploads by what became of them.", ["result"], registry=registry
        )
        for result in _RESULTS:
            self._files.labels(result)
        for state in ("done", "failed"):
            self._ended.labels(state)

    def watch_threads(self, threads: FairThreads) -> None:
        """Show the running and waiting jobs of these threads."""
        self._loads[self._jobs] = threads.load

    def watch_turns(self, count: Callable[[], int]) -> None:
        """Show the number of questions in progress."""
        self._count_turns = count

    def watch_ingests(self, load: Callable[[], tuple[int, int]]) -> None:
        """Show the running and waiting uploads."""
        self._loads[self._ingests] = load

    def sample(self) -> None:
        """Set the gauges to the present load."""
        self._turns.set(self._count_turns())
        for gauge, load in self._loads.items():
            running, waiting = load()
            gauge.labels("running").set(running)
            gauge.labels("waiting").set(waiting)

    async def sample_regularly(self) -> None:
        """Every `SAMPLED_S` seconds, until cancelled."""
        while True:
            self.sample()
            await asyncio.sleep(SAMPLED_S)

    def count_ingest(self, report: IngestReport | None) -> None:
        """The reading of an upload ended; None where it failed."""
        self._ended.labels("failed" if report is None else "done").inc()
        if report is not None:
            for result in _RESULTS:
                self._files.labels(result).inc(len(getattr(report, result)))
