"""What two workers on one data folder do beside each other: edits, connections, order, a killed worker.

.venv/bin/python benchmarks/workers.py --edits 100 --clients 16 --questions 20

Edits are written at one worker and looked for at once at the other; the time from the reply of the edit to
the answer that has it is told beside the edit's own. Then so many clients, each on a connection of its own,
ask one after the other: how many of them each worker got. Then one worker is killed under that load, again
and again: what its clients see, and how long until as many workers serve as before. The clients run beside
the server.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from worker_server import WorkerServer, until, worker_server

from services.settings import Settings
from services.wiring import build_platform
from vta.languages import Language
from vta.types.courses import Course, CourseId, Role
from vta.types.faq import FaqDraft

COURSE = Course(id=CourseId("bench"), name="Bench", domains=("Maths",), language=Language.EN)
DIALOGUE, FAQ = "/v1/courses/bench/dialogue", "/v1/courses/bench/faq"
OFF = {f"limit_{name}": "0" for name in ("learner", "key", "address", "requests")}
ENTRIES = 2000


def main() -> None:
    """Print one JSON object; times are milliseconds unless named otherwise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--questions", type=int, default=20, help="of each client")
    parser.add_argument("--kills", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        key = make_course(home)
        begun = time.monotonic()
        with worker_server(home, **OFF) as server:
            server.until_all_serve(2)
            found: dict[str, object] = {
                "machine": f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before",
                "entries": ENTRIES,
                "seconds_until_both_serve": round(time.monotonic() - begun, 1),
                "resident_mb": [round(resident_mb(each)) for each in (server.running.pid, *server.workers)],
                "edits": edits(server, key, options.edits),
                "connections": connections(server, options.clients, options.questions),
                "kills": [kill(server, options.clients) for _ in range(options.kills)],
            }
    print(json.dumps(found, indent=2))


def make_course(home: Path) -> dict[str, str]:
    """A course of so many entries, indexed; the header of its instructor."""
    platform = build_platform(Settings(home=home))
    platform.stores.courses.add(COURSE)
    drafts = [FaqDraft(question=question(n), answer=f"About item {n}.") for n in range(ENTRIES)]
    platform.stores.faq.add(COURSE.id, drafts, editor="bench")
    platform.knowledge.sync()
    key, _ = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
    platform.close()
    return {"Authorization": f"Bearer {key}"}


def question(number: int) -> str:
    return f"What is topic w{number}x about?"


def edits(server: WorkerServer, key: dict[str, str], times: int) -> dict[str, object]:
    """Edits of one entry at one worker, each looked for at the other."""
    first, second = server.workers
    written, found, missed = [], [], 0
    with server.client_of(first) as one, server.client_of(second) as other:
        added = one.post(FAQ, json={"question": "Where is the exam?", "answer": "-"}, headers=key)
        etag = added.headers["etag"]
        for number in range(times):
            draft = {"question": "Where is the exam?", "answer": f"In room r{number}x."}
            begun = time.perf_counter()
            edited = one.put(added.headers["location"], json=draft, headers=key | {"If-Match": etag})
            etag, replied = edited.headers["etag"], time.perf_counter()
            text = other.post(DIALOGUE, json={"question": "Where is the exam?"}).json()["text"]
            written.append(replied - begun)
            found.append(time.perf_counter() - replied)
            missed += f"r{number}x" not in text
    return {
        "edits": times,
        "not_found_by_the_first_question": missed,
        "edit_ms": summary(written),
        "question_after_it_ms": summary(found),
    }


def connections(server: WorkerServer, clients: int, questions: int) -> dict[str, object]:
    """What each worker got of clients that ask all at once."""
    before = {each: cpu_s(each) for each in server.workers}
    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(lambda _: ask_all(server.address, questions), range(clients)))
    seconds = time.perf_counter() - begun
    spent = [cpu_s(each) - before[each] for each in server.workers]
    return {
        "clients": clients,
        "turns_a_second": round(clients * questions / seconds, 1),
        "share_of_processor_time": [round(each / sum(spent), 2) for each in spent],
        "processor_ms_a_turn": round(sum(spent) / (clients * questions) * 1000, 1),
    }


def ask_all(address: str, questions: int) -> None:
    with httpx.Client(base_url=address, trust_env=False, timeout=120.0) as client:
        for number in range(questions):
            assert client.post(DIALOGUE, json={"question": question(number)}).status_code == 200


def kill(server: WorkerServer, clients: int) -> dict[str, object]:
    """SIGKILL of a worker under load: what clients see, and the time until two serve again."""
    stop, seen = Event(), Counter[str]()

    def go_on(_: int) -> None:
        while not stop.is_set():
            with httpx.Client(base_url=server.address, trust_env=False, timeout=120.0) as client:
                try:
                    while not stop.is_set():
                        reply = client.post(DIALOGUE, json={"question": question(7)})
                        seen[str(reply.status_code)] += 1
                except httpx.HTTPError as error:
                    seen[type(error).__name__] += 1

    with ThreadPoolExecutor(clients) as pool:
        running = [pool.submit(go_on, each) for each in range(clients)]
        until(lambda: seen["200"] > clients)
        dead, begun = server.workers[0], time.monotonic()
        os.kill(dead, signal.SIGKILL)
        until(lambda: dead not in server.workers and len(server.workers) == 2)
        replaced_s = time.monotonic() - begun
        stop.set()
        for each in running:
            each.result()
    server.until_all_serve(2)
    return {
        "replies": dict(seen),
        "seconds_until_replaced": round(replaced_s, 2),
        "seconds_until_both_serve": round(time.monotonic() - begun, 1),
    }


def cpu_s(process: int) -> float:
    """Seconds of processor time that a process has taken."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def summary(seconds: list[float]) -> dict[str, Any]:
    ordered = sorted(seconds)
    return {
        "p50": round(statistics.median(ordered) * 1000, 1),
        "p99": round(ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))] * 1000, 1),
        "most": round(ordered[-1] * 1000, 1),
    }


if __name__ == "__main__":
    main()
