"""How much one process has to do: questions, jobs of its threads, and uploads that it reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge

from services.http.fair_threads import FairThreads
from services.http.worker_metrics import LIVE
from services.use_cases.materials import CourseMaterials
from vta.ingest.report import IngestReport

SAMPLED_S = 1.0
_RESULTS = ("added", "unchanged", "rejected")


class Load:
    """Gauges that are set when somebody looks, and regularly for those who look at all processes at once."""

    def __init__(self, registry: CollectorRegistry, materials: CourseMaterials) -> None:
        self._materials = materials
        self._threads: FairThreads | None = None
        self._count_turns: Callable[[], int] = lambda: 0
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
        materials.watch(self._count)

    def watch_threads(self, threads: FairThreads) -> None:
        """Show how much these threads have to do."""
        self._threads = threads

    def watch_turns(self, count: Callable[[], int]) -> None:
        """Show how many questions are under way."""
        self._count_turns = count

    def sample(self) -> None:
        """Look how much there is to do now."""
        self._turns.set(self._count_turns())
        loads = {self._ingests: self._materials.load()}
        if self._threads is not None:
            loads[self._jobs] = self._threads.load()
        for gauge, (running, waiting) in loads.items():
            gauge.labels("running").set(running)
            gauge.labels("waiting").set(waiting)

    async def sample_regularly(self) -> None:
        """Every `SAMPLED_S` seconds, until cancelled."""
        while True:
            self.sample()
            await asyncio.sleep(SAMPLED_S)

    def _count(self, report: IngestReport | None) -> None:
        self._ended.labels("failed" if report is None else "done").inc()
        if report is not None:
            for result in _RESULTS:
                self._files.labels(result).inc(len(getattr(report, result)))
