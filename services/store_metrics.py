"""Figures of the store and of uploads for Prometheus."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.archive.daily import last_daily_backup
from services.dialogue.model_usage import by_model
from services.indexing.concepts import stamp_revision
from services.web.metrics import Metrics
from services.wiring import Platform
from vta.errors import VtaError

_log = logging.getLogger(__name__)


def open_metrics(platform: Platform) -> Metrics:
    """The counts of one application over a platform."""
    metrics = Metrics(_StoreFigures(platform))
    metrics.load.watch_ingests(platform.materials.load)
    platform.materials.watch(metrics.load.count_ingest)
    return metrics


class _StoreFigures(Collector):
    """Figures of the store, read at each request; the same in every process."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._behind_since_s: float | None = None

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        up = GaugeMetricFamily("vta_store_up", "1 where the relational store can be read.")
        try:
            yield from self._model_usage()
            yield from self._backlog()
            yield from self._backups()
            revision = self._platform.stores.documents.revision()
            yield GaugeMetricFamily(
                "vta_store_writable",
                "0 where the disk of a SQLite store takes nothing more.",
                value=self._platform.stores.unwritable() is None,
            )
            up.add_metric([], 1)
        except VtaError as failure:
            _log.warning("the store cannot be read for metrics: %s", failure.message)
            up.add_metric([], 0)
            yield up
            return
        yield up
        try:
            stamp = self._platform.index.stamp()
        except VtaError as failure:
            _log.warning("the index cannot be read for metrics: %s", failure.message)
            return
        lag = revision - (stamp_revision(stamp) or 0)
        yield GaugeMetricFamily(
            "vta_index_revision_lag", "Revisions of the store that the index does not hold yet.", value=lag
        )
        yield GaugeMetricFamily(
            "vta_index_lag_seconds",
            "Seconds since the index was first seen behind the store; 0 where it is not.",
            value=self._behind_s(lag),
        )

    def _behind_s(self, lag: int) -> float:
        now = time.monotonic()
        self._behind_since_s = None if lag <= 0 else self._behind_since_s or now
        return 0.0 if self._behind_since_s is None else now - self._behind_since_s

    def _backlog(self) -> Iterable[Metric]:
        questions, deliveries = self._platform.stores.backlog()
        yield GaugeMetricFamily(
            "vta_waiting_questions", "Questions that wait for a TA, of all courses.", value=questions
        )
        yield GaugeMetricFamily(
            "vta_webhook_backlog", "Notifications to platforms not delivered yet.", value=deliveries
        )

    def _backups(self) -> Iterable[Metric]:
        if (folder := self._platform.settings.backup_folder) is not None:
            last = last_daily_backup(folder)
            yield GaugeMetricFamily(
                "vta_last_backup_timestamp_seconds",
                "When the last daily backup was made; 0 where there is none.",
                value=last.timestamp() if last else 0,
            )

    def _model_usage(self) -> Iterable[Metric]:
        tokens = CounterMetricFamily(
            "vta_model_tokens",
            "Tokens of language models since the store was made, of all processes.",
            labels=["model", "kind"],
        )
        cost = CounterMetricFamily(
            "vta_model_cost",
            "What these tokens cost, where prices are set, in their currency.",
            labels=["model"],
        )
        for usage in by_model(self._platform.stores.usage.totals()):
            tokens.add_metric([usage.model, "prompt"], usage.prompt_tokens)
            tokens.add_metric([usage.model, "completion"], usage.completion_tokens)
            if (price := self._platform.settings.cost_of(usage)) is not None:
                cost.add_metric([usage.model], price)
        return tokens, cost
