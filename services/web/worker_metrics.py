"""The counts of several workers of one server as those of one process, by prometheus_client's files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder of workers' counts to prometheus_client at its import."""
LIVE: Final = "livesum"
"""The mode of a gauge that is the sum over the workers that live."""
_LIVING = re.compile(r"gauge_live\w+_(\d+)\.db")


def workers_folder() -> Path | None:
    """The folder of the workers' counts; None where this process is the only one."""
    found = os.environ.get(FOLDER)
    return Path(found) if found else None


def workers_registry(folder: Path) -> CollectorRegistry:
    """The counts of all workers, also of those that ended, and memory and processor time of the living."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    registry.register(_Processes(folder))
    return registry


def forget_worker(folder: Path, process: int) -> None:
    """Drop a dead worker's live gauges; its counters stay."""
    mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]


@contextmanager
def counting_together(folder: Path) -> Iterator[None]:
    """Processes that are started from here share their counts in a folder that holds none yet."""
    folder.mkdir(parents=True)
    before = os.environ.get(FOLDER)
    os.environ[FOLDER] = str(folder)
    try:
        yield
    finally:
        del os.environ[FOLDER]
        if before is not None:
            os.environ[FOLDER] = before


class _Processes(Collector):
    """The sum of `ProcessCollector` over the workers; the start is that of the first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        found: dict[str, Metric] = {}
        living = {match[1] for each in self._folder.iterdir() if (match := _LIVING.fullmatch(each.name))}
        for process in living:
            for family in ProcessCollector(pid=partial(int, process), registry=None).collect():
                known = found.setdefault(family.name, family)
                if known is not family:
                    known.samples = [_together(known.samples[0], family.samples[0])]
        return found.values()


def _together(one: Sample, other: Sample) -> Sample:
    add = min if one.name == "process_start_time_seconds" else float.__add__
    return one._replace(value=add(float(one.value), float(other.value)))
