"""What students and probes notice while PostgreSQL, Redis or the language model fails behind a proxy.

python -m benchmarks faults

One process serves two courses. While a service fails, four clients ask taught questions of one course, one
asks direct questions of the other, and /healthz is probed without a pause. The same is measured before each
fault. Binaries of PostgreSQL and Redis are needed.
"""

from __future__ import annotations

import socket
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
from fault_proxy import Fault, FaultProxy
from postgres_server import find_binaries, run_postgres
from redis_server import run_redis
from scripted_llm import ScriptedLlm
from served_platform import add_courses, served
from small_platform import COURSES, KeywordIntents

from services.settings import Settings
from services.wiring import build_platform

TAUGHT, DIRECT = "Why do editors undo with a stack?", "作业什么时候截止？"
DELAY_S = 0.05


def run(*, seconds: float = 6.0) -> dict[str, Any]:
    """Times in milliseconds before and during each fault, which lasts `seconds`."""
    binaries = find_binaries()
    assert binaries is not None, "PostgreSQL is not installed"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(run_postgres(binaries))
        llm = stack.enter_context(ScriptedLlm())
        llm.play(llm.ok("A stack keeps what was done last on top [1]."))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = int(free.getsockname()[1])
        stack.enter_context(run_redis(folder, port=port))
        urls = {"postgres": database, "redis": f"redis://127.0.0.1:{port}/0", "model": llm.base_url}
        proxies = {name: stack.enter_context(FaultProxy.before(url)) for name, url in urls.items()}
        off = {f"limit_{name}": 0 for name in ("learner", "key", "address", "requests")}
        settings = Settings(
            home=folder / "home",
            database_url=proxies["postgres"].instead_of(urls["postgres"]),
            database_timeout_s=2.0,
            redis_url=proxies["redis"].instead_of(urls["redis"]),
            llm_base_url=proxies["model"].instead_of(urls["model"]),
            llm_model=llm.model,
            llm_timeout_s=4.0,
            **off,
        )
        platform = build_platform(settings, intents=KeywordIntents())
        add_courses(platform, COURSES)
        address = stack.enter_context(served(platform)).address
        watch(address, 2.0)
        found: dict[str, object] = {}
        for name, proxy in proxies.items():
            for fault in (Fault.HANG, Fault.DELAY, Fault.RESET, Fault.REFUSE):
                before = watch(address, seconds)
                with proxy.failing(fault, seconds=DELAY_S):
                    during = watch(address, seconds)
                found[f"{name} {fault}"] = {"before": before, "during": during}
                time.sleep(4.0)  # the breakers close again
    return {"unit": "ms", "found": found}


def watch(address: str, seconds: float) -> dict[str, object]:
    """What is noticed in so many seconds, and until what was asked in them has ended."""
    until = time.monotonic() + seconds
    ends: dict[str, list[tuple[int, float]]] = {"asked": [], "other course": [], "healthz": []}
    probing = threading.Event()

    def repeat(
        kind: str, more: Callable[[], bool], request: Callable[[httpx.Client], httpx.Response]
    ) -> None:
        with httpx.Client(base_url=address, timeout=120.0, trust_env=False) as client:
            while more():
                begun = time.monotonic()
                status = request(client).status_code
                ends[kind].append((status, 1000 * (time.monotonic() - begun)))
                time.sleep(0.02)

    def ask(course: str, question: str) -> Callable[[httpx.Client], httpx.Response]:
        return lambda client: client.post(f"/v1/courses/{course}/dialogue", json={"question": question})

    def in_time() -> bool:
        return time.monotonic() < until

    askers = [
        threading.Thread(target=repeat, args=("asked", in_time, ask("stacks-en", TAUGHT))) for _ in range(4)
    ]
    askers.append(threading.Thread(target=repeat, args=("other course", in_time, ask("stacks-zh", DIRECT))))
    probe = threading.Thread(
        target=repeat,
        args=("healthz", lambda: not probing.is_set(), lambda client: client.get("/healthz")),
    )
    for each in (*askers, probe):
        each.start()
    for each in askers:
        each.join()
    probing.set()
    probe.join()
    return {kind: summary(found) for kind, found in ends.items()}


def summary(found: list[tuple[int, float]]) -> dict[str, object]:
    times = [taken for _, taken in found]
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    by_status = {str(status): count for status, count in sorted(Counter(s for s, _ in found).items())}
    return {
        "ends": by_status,
        "p50": round(statistics.median(times)),
        "p95": round(p95),
        "max": round(max(times)),
    }
