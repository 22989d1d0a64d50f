"""How long a direct answer takes on a connection that is kept alive, before and after a change.

.venv/bin/python benchmarks/latency.py BEFORE AFTER

BEFORE and AFTER are two checkouts. `vta serve` runs from each over a course of its own making, both at once,
and they are asked in turns, so that whatever else the machine does meets both alike. No language model.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

COURSE = "bench"
QUESTION = "When is the homework due?"
FAQ = "question,answer\n" + "\n".join(
    [f"{QUESTION},Every Sunday at 23:59.", *(f"What is topic {n} about?,About item {n}." for n in range(200))]
)
OFF = {f"VTA_LIMIT_{name}": "0" for name in ("LEARNER", "KEY", "ADDRESS", "REQUESTS")}


def main() -> None:
    """Print one JSON object; times are milliseconds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--questions", type=int, default=40, help="of each client in each round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        addresses = {
            name: stack.enter_context(serve(tree.resolve(), Path(folder) / name))
            for name, tree in (("before", options.before), ("after", options.after))
        }
        found: dict[str, object] = {"commits": {n: commit(getattr(options, n)) for n in addresses}}
        for clients in (1, 8):
            times: dict[str, list[float]] = {name: [] for name in addresses}
            for _ in range(options.rounds):
                for name, address in addresses.items():
                    times[name] += ask_all(address, clients, options.questions)
            found[f"{clients} clients"] = {name: summary(taken) for name, taken in times.items()}
        found["healthz, 1 client"] = {n: summary(probe(a, options.questions)) for n, a in addresses.items()}
    print(json.dumps(found, indent=2))


@contextmanager
def serve(tree: Path, home: Path) -> Iterator[str]:
    """`vta serve` from a checkout over a new course, until the end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    environment = {**clean, **OFF, "PYTHONPATH": str(tree), "VTA_HOME": str(home)}
    vta = [sys.executable, "-m", "services.cli"]
    faq = home.with_suffix(".csv")
    faq.write_text(FAQ, encoding="utf-8")
    for arguments in (
        ("course", "add", COURSE, "--name", "Bench", "--domain", "Maths", "--language", "en"),
        ("ingest", COURSE, str(faq)),
    ):
        subprocess.run([*vta, *arguments], check=True, env=environment, cwd=tree, stdout=subprocess.DEVNULL)
    with subprocess.Popen(
        [*vta, "serve", "--port", "0"],
        env=environment,
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as running:
        assert running.stdout is not None
        found = re.search(r"http://[\d.:]+", running.stdout.readline())
        assert found is not None
        try:
            ask_all(found[0], 1, 20)
            yield found[0]
        finally:
            running.terminate()


def ask_all(address: str, clients: int, questions: int) -> list[float]:
    """The milliseconds of all answers to so many clients, each on one connection."""
    taken: list[float] = []

    def ask() -> None:
        with httpx.Client(base_url=address, timeout=60.0, trust_env=False) as client:
            mine = []
            for _ in range(questions):
                begun = time.perf_counter()
                reply = client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": QUESTION})
                mine.append(1000 * (time.perf_counter() - begun))
                assert reply.json()["route"] == "direct", reply.text
        taken.extend(mine[1:])  # the first one opens the connection

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(taken) == clients * (questions - 1)
    return taken


def probe(address: str, times: int) -> list[float]:
    """The milliseconds of /healthz on one connection."""
    with httpx.Client(base_url=address, timeout=60.0, trust_env=False) as client:
        taken = []
        for _ in range(times):
            begun = time.perf_counter()
            assert client.get("/healthz").status_code == 200
            taken.append(1000 * (time.perf_counter() - begun))
    return taken[1:]


def summary(taken: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(taken, n=100)
    return {"n": len(taken), "p50": round(cuts[49], 1), "p95": round(cuts[94], 1)}


def commit(tree: Path) -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=tree, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    main()
