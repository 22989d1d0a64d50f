"""What a turn over HTTP costs and how many a second there are, with and beside other services.

.venv/bin/python benchmarks/service.py [--workers 1,2] [--seconds 4] [--turns 100000] [--no-peers]

`vta serve` over the two sample courses, filled up to 2,000 pairs each with passages of their own words:
embedded index, SQLite, shipped encoder, no language model, no limits. Students ask on connections of their
own, each question in a session of its own: as many as there are, one after the other; then by chance at half
of the best rate. Direct and taught answers apart, each question asked for the first time; then direct ones as
a stream, and where the same was asked before. Processor time is that of all
processes of the server. Server and students share the machine's cores, and none is bound to one. With --turns
so many more are asked, and the memory is told before and after. Beside it haystack and Elasticsearch
(service_peers.py) over the same pairs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform as machine
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from question_cost import fill, questions_of, time_loop
from service_load import Job, read_reply, request
from service_peers import elasticsearch, elasticsearch_request, haystack, haystack_request

from services.settings import Settings
from services.wiring import build_platform
from vta.types.pairs import QAPair

ROOT = Path(__file__).parents[1]
PAIRS = 2_000
OFF = {f"VTA_LIMIT_{name}": "0" for name in ("LEARNER", "KEY", "ADDRESS", "REQUESTS", "COURSE")}
PARTS = {"direct": "direct", "taught": "chain_of_teach"}
Asked = tuple[str, str]
"""A course and a question."""
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=numbers, default=[1, 2], help="as 1,2")
    parser.add_argument("--students", type=numbers, default=[1, 8, 32, 128], help="as 1,8,32,128")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument(
        "--turns", type=int, default=0, help="so many more turns of 8 students, for the memory"
    )
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--peers-environment", type=Path, default=ROOT / "build" / "haystack")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "runs" / "service.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        questions, courses = make_home(folder / "home")
        record = {
            "command": "python benchmarks/service.py " + " ".join(sys.argv[1:]),
            "python": machine.python_version(),
            "processors": os.cpu_count(),
            "pairs_of_a_course": PAIRS,
            "loop_ms": round(statistics.median(time_loop() for _ in range(100)), 2),
            "servers": [
                each for n in options.workers if (each := measure_vta(folder, questions, n, options))
            ],
            "peers": measure_peers(folder, questions, courses, options) if options.peers else [],
        }
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    show(record)


def numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def make_home(home: Path) -> tuple[list[Asked], dict[str, Sequence[QAPair]]]:
    """The data folder; its questions and pairs."""
    vta = build_platform(Settings(home=home))
    try:
        courses = fill(vta, PAIRS)
        questions = [(str(course.id), text) for course in courses for text in questions_of(vta, course)]
        return questions, {str(c.id): tuple(vta.stores.documents.pairs(c.id)) for c in courses}
    finally:
        vta.close()


def measure_vta(
    folder: Path, questions: Sequence[Asked], workers: int, options: argparse.Namespace
) -> Row | None:
    """The figures of one server; None where it cannot have so many workers."""
    if workers > 1 and "--workers" not in vta_says("serve", "--help"):
        print(f"vta serve has no --workers yet: {workers} workers are left out", file=sys.stderr)
        return None
    with serve(folder / "home", workers) as (port, pid):
        asyncio.run(routes(port, questions))  # warms it up, too
        found = asyncio.run(routes(port, questions))
        before = memory_mb(pid)
        rows = []
        for part, route in PARTS.items():
            asked = [vta_request(*each) for each in questions if found[each] == route]
            rows += measure(part, port, pid, asked, options, distinct=True)
        direct = [each for each in questions if found[each] == "direct"]
        streamed = [vta_request(*each, stream=True) for each in direct]
        asyncio.run(routes(port, direct))  # asks each of them before
        for part, asked, distinct in (
            ("direct, streamed", streamed, True),
            ("direct, asked before", [vta_request(*each) for each in direct], False),
        ):
            job = Job(port=port, asked=asked, students=8, seconds=options.seconds, distinct=distinct)
            rows.append(load(part, pid, job))
        after = memory_mb(pid)
        turns = sum(row["turns"] for row in rows)
        if options.turns:
            asked = [vta_request(*each) for each in questions]
            rows.append(
                load("all", pid, Job(port=port, asked=asked, students=8, seconds=1e9, most=options.turns))
            )
            turns, before, after = options.turns, after, memory_mb(pid)
    return {
        "workers": workers,
        "rows": rows,
        "memory": {"turns": turns, "before_mb": before, "after_mb": after},
    }


def measure_peers(
    folder: Path,
    questions: Sequence[Asked],
    courses: dict[str, Sequence[QAPair]],
    options: argparse.Namespace,
) -> list[Row]:
    rows = []
    for name, peer, make in (
        ("haystack", haystack(folder, options.peers_environment, courses), haystack_request),
        ("elasticsearch", elasticsearch(courses), elasticsearch_request),
    ):
        with peer as (port, pid):
            asked = [make(*each) for each in questions]
            load(name, pid, Job(port=port, asked=asked, students=8, seconds=2 * options.seconds))  # warm-up
            rows += measure(name, port, pid, asked, options)
    return rows


def measure(
    name: str,
    port: int,
    pid: int,
    asked: list[Asked],
    options: argparse.Namespace,
    *,
    distinct: bool = False,
) -> list[Row]:
    """One row for each number of students, and one at half of the best rate."""
    job = Job(port=port, asked=asked, students=1, seconds=options.seconds, distinct=distinct)
    rows = [load(name, pid, replace(job, students=n)) for n in options.students]
    rate = max(row["turns_a_second"] for row in rows) / 2
    half = replace(job, students=max(options.students), seconds=2 * options.seconds, rate=rate)
    return [*rows, load(f"{name}, half load", pid, half)]


def load(name: str, pid: int, job: Job) -> Row:
    """One measurement: percentiles in milliseconds, turns a second, processor time a turn."""
    spent = processor_s(pid)
    command = [sys.executable, str(Path(__file__).with_name("service_load.py"))]
    done = subprocess.run(command, input=json.dumps(asdict(job)), capture_output=True, text=True, check=True)
    spent = processor_s(pid) - spent
    found = json.loads(done.stdout)
    taken = found["taken_ms"]
    cuts = statistics.quantiles(taken, n=100)
    row: Row = {
        "part": name,
        "students": job.students,
        "turns": len(taken),
        "turns_a_second": round(len(taken) / found["seconds"], 1),
        "processor_ms": round(1000 * spent / len(taken), 2),
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "p99_ms": round(cuts[98], 1),
    }
    print(" ".join(f"{name}={value}" for name, value in row.items()), file=sys.stderr, flush=True)
    return row


async def routes(port: int, questions: Sequence[Asked]) -> dict[Asked, str]:
    """By which route each question is answered."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    found = {}
    for each in questions:
        writer.write(request(*vta_request(*each)))
        found[each] = json.loads(await read_reply(reader))["route"]
    writer.close()
    return found


def vta_request(course: str, question: str, *, stream: bool = False) -> tuple[str, str]:
    return f"/v1/courses/{course}/dialogue", json.dumps({"question": question, "stream": stream})


@contextmanager
def serve(home: Path, workers: int, **variables: str) -> Iterator[tuple[int, int]]:
    """Port and process of `vta serve`."""
    options = ["--port", "0", *(["--workers", str(workers)] if workers > 1 else [])]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    environment = {**clean, **OFF, "PYTHONPATH": str(ROOT), "VTA_HOME": str(home), **variables}
    with subprocess.Popen(
        [sys.executable, "-m", "services.cli", "serve", *options],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as running:
        assert running.stdout is not None
        try:
            found = re.search(r"http://[\d.]+:(\d+)", running.stdout.readline())
            assert found is not None, "vta serve did not start"
            asyncio.run(until_up(int(found[1])))
            yield int(found[1]), running.pid
        finally:
            running.terminate()


async def until_up(port: int) -> None:
    """Return when the server answers; connections wait at its socket until then."""
    for _ in range(600):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
            await read_reply(reader)
            writer.close()
            return
        except (OSError, RuntimeError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.1)
    raise TimeoutError("vta serve did not become ready")


def vta_says(*arguments: str) -> str:
    command = [sys.executable, "-m", "services.cli", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "COLUMNS": "200"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def processor_s(pid: int) -> float:
    """Processor time of a process and all that it started, in user and kernel mode."""
    ticks = 0
    for each in family(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Resident memory of the same processes; what they share counts once for each."""
    pages = sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in family(pid))
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def show(record: Row) -> None:
    """The record as a table."""
    names = ("students", "turns_a_second", "processor_ms", "p50_ms", "p95_ms", "p99_ms")
    print(f"{'':36}" + "".join(f"{name:>16}" for name in names))
    groups = [(f"vta, {each['workers']} workers", each["rows"]) for each in record["servers"]]
    for title, rows in [*groups, ("peer", record["peers"])]:
        for row in rows:
            print(f"{title + ': ' + row['part']:36}" + "".join(f"{row[name]:>16}" for name in names))
    for each in record["servers"]:
        memory = each["memory"]
        print(
            f"memory, {each['workers']} workers: {memory['before_mb']} MB, "
            f"after {memory['turns']} turns {memory['after_mb']} MB"
        )


if __name__ == "__main__":
    main()
