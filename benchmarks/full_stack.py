"""Mixed load on the whole platform while its services fail one after the other and its replicas are killed.

    python -m benchmarks full_stack --minutes 10 --workers 2

PostgreSQL, Redis and Elasticsearch are real, each behind a TCP proxy that hangs, delays, resets and refuses
in turn. Replicas of `vta serve` stand behind a balancer; every so often one is killed (SIGKILL to all its
processes, then SIGTERM, in turns) and starts again. Students and instructors of four courses ask, rate, hand
questions to a TA, write FAQ entries, answer and upload. At the end each replica is asked for every
acknowledged write. Needs the binaries of PostgreSQL, Redis and a JDK. Writes docs/runs/full_stack.json; the
exit status is 1 where a write was lost, another course answered, or a 5xx came that was no declared 503.
"""

from __future__ import annotations

import itertools
import signal
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fault_proxy import Fault, FaultProxy

from benchmarks.stack_balancer import Balancer
from benchmarks.stack_clients import Client, Seen
from benchmarks.stack_ledger import Ledger, losses, repeated_turns
from benchmarks.stack_people import Instructor, Student
from benchmarks.stack_servers import Replica
from benchmarks.stack_setup import make_courses, services

FAULTS = (Fault.HANG, Fault.DELAY, Fault.RESET, Fault.REFUSE)
DELAY_S = 0.1
START_S = 180.0


@dataclass(frozen=True, slots=True)
class Load:
    """Minutes of the run, workers of a replica, students of a course, seconds of a fault and of a rest."""

    minutes: float
    workers: int
    students: int
    fault: float
    rest: float


@dataclass
class Troubles:
    """What was done to the platform."""

    faults: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    ready_s: list[float] = field(default_factory=list)
    """From the death of a replica until it was ready again, whatever failed meanwhile."""


def run(
    *,
    minutes: float = 10.0,
    replicas: int = 2,
    workers: int = 2,
    students: int = 2,
    fault: float = 12.0,
    rest: float = 8.0,
    logs: Path | None = None,
) -> dict[str, Any]:
    """`workers` of each replica, `students` of each course, seconds of a `fault` and of the `rest` after it.

    `logs`: a folder for data and logs of the replicas, which stays.
    """
    with ExitStack() as stack:
        folder = logs or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        proxies, settings = services(stack)
        settings |= {"VTA_PROCESSES": str(replicas)}
        started = []
        for number in range(replicas):  # one after the other: the first one makes the schema
            started.append(Replica(f"replica-{number}", folder, settings, workers=workers))
            stack.callback(started[-1].close)
            started[-1].wait_ready(START_S)
        balancer = stack.enter_context(Balancer(started))
        keys = make_courses(balancer.address)
        load = Load(minutes, workers, students, fault, rest)
        return play(load, balancer, started, proxies, keys)


def play(
    load: Load,
    balancer: Balancer,
    replicas: Sequence[Replica],
    proxies: Mapping[str, FaultProxy],
    keys: Mapping[str, str],
) -> dict[str, Any]:
    """The load, the troubles, and what is left afterwards."""
    ledger, seen, troubles, stop = Ledger(), Seen(), Troubles(), threading.Event()
    number = itertools.count()
    clients: list[Client] = []
    for course, key in keys.items():
        shared = (balancer.address, ledger, seen, stop)
        clients += [Student(next(number), course, "", *shared) for _ in range(load.students)]
        clients.append(Instructor(next(number), course, key, *shared))
    threads = [threading.Thread(target=each.run, name=f"client-{n}") for n, each in enumerate(clients)]
    threads += [
        threading.Thread(target=fail_in_turn, args=(proxies, load.fault, load.rest, troubles, stop)),
        threading.Thread(target=kill_in_turn, args=(replicas, load.rest, troubles, stop)),
    ]
    begun = time.monotonic()
    for each in threads:
        each.start()
    stop.wait(60 * load.minutes)
    stop.set()
    for each in threads:
        each.join()
    seconds = time.monotonic() - begun
    recovered = [round(each.wait_ready(START_S), 1) for each in replicas]
    lost: dict[str, list[str]] = {}
    repeated = 0
    for each in replicas:
        with httpx.Client(base_url=each.address, timeout=60.0, trust_env=False) as client:
            lost[each.name] = [f"{kind}: {which}" for kind, which in losses(ledger, client, keys)]
            repeated = repeated_turns(ledger, client)
    return {
        "seconds": round(seconds),
        "replicas": len(replicas),
        "workers": load.workers,
        "faults": dict(troubles.faults),
        "kills": dict(troubles.kills),
        "crashes": sum(each.crashes for each in replicas),
        "memory_mb": [each.memory_mb() for each in replicas],
        "ready_again_s": {
            "median": round(statistics.median(troubles.ready_s or [0.0]), 1),
            "max": round(max(troubles.ready_s, default=0.0), 1),
            "after_the_end": recovered,
        },
        "acknowledged": ledger.counts(),
        "lost": {name: found for name, found in lost.items() if found},
        "foreign": seen.foreign[:20],
        "undeclared": seen.undeclared[:20],
        "undeclared_in_all": len(seen.undeclared),
        "repeated_turns": repeated,
        "after_an_edit": dict(seen.stale),
        "no_replica": balancer.refused,
        "requests": {kind: requests(seen, kind) for kind in sorted(seen.ends)},
    }


def requests(seen: Seen, kind: str) -> dict[str, Any]:
    times = sorted(seen.ms[kind])
    return {
        "ends": dict(sorted(seen.ends[kind].items())),
        "p50_ms": round(times[len(times) // 2]),
        "p95_ms": round(times[len(times) * 95 // 100]),
        "p99_ms": round(times[len(times) * 99 // 100]),
        "max_ms": round(times[-1]),
    }


def troubles_of(proxies: Mapping[str, FaultProxy]) -> Iterator[tuple[str, Fault]]:
    """Each fault of each service, the services in turn, without an end."""
    return itertools.cycle((name, fault) for fault in FAULTS for name in proxies)


def fail_in_turn(
    proxies: Mapping[str, FaultProxy],
    fault_s: float,
    rest_s: float,
    troubles: Troubles,
    stop: threading.Event,
) -> None:
    for name, fault in troubles_of(proxies):
        if stop.wait(rest_s):
            return
        troubles.faults[f"{name} {fault}"] += 1
        with proxies[name].failing(fault, seconds=DELAY_S):
            stop.wait(fault_s)


def kill_in_turn(
    replicas: Sequence[Replica], rest_s: float, troubles: Troubles, stop: threading.Event
) -> None:
    """One replica after the other, each when the one before is ready again."""
    for sign, replica in itertools.cycle(itertools.product((signal.SIGKILL, signal.SIGTERM), replicas)):
        if stop.wait(rest_s):
            return
        troubles.kills[sign.name] += 1
        begun = time.monotonic()
        replica.end(sign)
        time.sleep(0.5)  # it may answer until it is told
        replica.wait_ready(START_S)
        troubles.ready_s.append(time.monotonic() - begun)
