"""What a turn over HTTP costs and how many a second there are.

python -m benchmarks service [--peers PYTHON] [--workers N] [--seconds 4] [--turns 100000]

`vta serve` over the two sample courses, filled up to 2,000 pairs each with passages of their own words:
embedded index, SQLite, shipped encoder, no language model, no limits. Students ask on connections of their
own, each question in a session of its own: as many as there are, one after the other; then by chance at half
of the best rate. Direct and taught answers apart, each question asked for the first time; then direct ones as
a stream, and where the same was asked before. Processor time is that of all
processes of the server. Server and students share the machine's cores, and none is bound to one. With --turns
so many more are asked, and the memory is told before and after.

`--peers` is the Python of an environment with haystack-ai, fastapi, uvicorn, uvloop and httptools. Its server
gets the same pairs and questions: haystack's BM25 retriever behind a route, and a route that only repeats
the question.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.ingest import SEED, Writer
from benchmarks.record import ROOT
from benchmarks.service_load import Job, read_reply, request
from services.demo.sample_courses import DEMO_COURSES, create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.languages import Language
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator, QAPair, Source

PAIRS = 2_000
OFF = {f"VTA_LIMIT_{name}": "0" for name in ("LEARNER", "KEY", "ADDRESS", "REQUESTS", "COURSE")}
PARTS = {"direct": "direct", "taught": "chain_of_teach"}
ASKED = {
    Language.ZH: ("为什么要用{}？", "{}是怎么实现的？"),
    Language.EN: ("Why is {} used?", "How does {} work?"),
}
PEERS = """
import json, sys
import uvicorn
from fastapi import FastAPI
from haystack import Document
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from pydantic import BaseModel

class Asked(BaseModel):
    question: str

app, retrievers = FastAPI(), {}
for course, texts in json.load(sys.stdin).items():
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=each) for each in texts])
    retrievers[course] = InMemoryBM25Retriever(store, top_k=10)

@app.get("/readyz")
def ready():
    return {}

@app.post("/haystack/{course}")
def search(course: str, asked: Asked):
    return {"found": [each.content for each in retrievers[course].run(asked.question)["documents"]]}

@app.post("/bare/{course}")
async def repeat(course: str, asked: Asked):
    return {"text": asked.question}

uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False)
"""
Asked = tuple[str, str]
"""A course and a question."""
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Load:
    """Numbers of students, seconds of each measurement, and turns that follow for the memory."""

    students: list[int]
    seconds: float
    turns: int


def run(
    *,
    workers: list[int] = [1, 2],  # noqa: B006
    students: list[int] = [1, 8, 32],  # noqa: B006
    seconds: float = 4.0,
    turns: int = 0,
    peers: Path | None = None,
) -> dict[str, Any]:
    """`seconds` of each measurement; so many more `turns` of 8 students, for the memory."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        questions = make_home(home)
        load_given = Load(students, seconds, turns)
        loop_s = round(min(time_loop() for _ in range(3)), 2)
        servers = [measure_vta(home, questions, n, load_given) for n in workers]
        beside = measure_peers(peers, home, questions, load_given) if peers else []
    direct = {each["workers"]: rate_of(each["rows"], "direct") for each in servers}
    first = direct[workers[0]]
    return {
        "pairs_of_a_course": PAIRS,
        "loop_of_10_million_s": loop_s,
        "servers": servers,
        "peers": beside,
        "direct_turns_to_peers": {
            name: round(first / rate_of(beside, name), 3)
            for name in dict.fromkeys(row["part"] for row in beside)
        },
        "direct_turns_to_first_server": {n: round(rate / first, 2) for n, rate in direct.items()},
    }


def time_loop() -> float:
    """Seconds that the machine takes to add ten million numbers one by one."""
    begun, total = time.perf_counter(), 0
    for n in range(10**7):
        total += n
    return time.perf_counter() - begun


def rate_of(rows: Sequence[Row], part: str) -> float:
    """Turns a second of 8 students, or of the most that were measured."""
    rates = {row["students"]: row["turns_a_second"] for row in rows if row["part"] == part}
    rate: float = rates.get(8, rates[max(rates)])
    return rate


def make_home(home: Path) -> list[Asked]:
    """Fill the data folder; the questions on its courses."""
    vta = build_platform(Settings(home=home))
    try:
        courses = fill(vta, PAIRS)
        return [(str(course.id), text) for course in courses for text in questions_of(vta, course)]
    finally:
        vta.close()


def fill(vta: Platform, size: int) -> list[Course]:
    """The sample courses, each with passages made of its own words until it has so many pairs."""
    for _ in create_demo_courses(vta):
        pass
    courses = [vta.stores.courses.course(CourseId(name)) for name in DEMO_COURSES]
    for n, course in enumerate(courses):
        there = sum(1 for _ in vta.stores.documents.pairs(course.id))
        if there < size:
            writer = Writer(course.id, course.language, SEED + n)
            document = CourseDocument(
                path="filling.md", sha256="0" * 64, pairs=passages(course, writer, size - there)
            )
            vta.stores.documents.apply(course.id, put=[document])
    vta.knowledge.sync()
    return courses


def passages(course: Course, writer: Writer, number: int) -> tuple[QAPair, ...]:
    """Passages of four sentences, twenty under a heading."""
    return tuple(
        QAPair(
            id=PairId(f"{course.id}-filling-{n}"),
            course_id=course.id,
            source=Source.MATERIAL,
            question=heading,
            answer=writer.paragraph(),
            domains=course.domains,
            document="filling.md",
            locator=Locator(heading_path=(heading,)),
        )
        for n in range(number)
        if (heading := writer.topic(n // 20))
    )


def questions_of(vta: Platform, course: Course) -> list[str]:
    """Every question of the FAQ, and two of every concept that a person wrote."""
    faq = [pair.question for pair in vta.stores.documents.pairs(course.id) if pair.source is Source.FAQ]
    concepts = [each.name for each in vta.knowledge.current().graph.concepts(course.id) if each.curated]
    return [*faq, *(asked.format(name) for name in concepts for asked in ASKED[course.language])]


def measure_peers(python: Path, home: Path, questions: Sequence[Asked], given: Load) -> list[Row]:
    """The rows of haystack and of the bare route, over the pairs of `home`."""
    vta = build_platform(Settings(home=home))
    try:
        courses = {CourseId(course) for course, _ in questions}
        texts = {
            str(course): [f"{each.question}\n{each.answer}" for each in vta.stores.documents.pairs(course)]
            for course in courses
        }
    finally:
        vta.close()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command, rows = [str(python), "-c", PEERS, str(port)], list[Row]()
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdin is not None
            running.stdin.write(json.dumps(texts))
            running.stdin.close()
            asyncio.run(until_up(port))
            for name in ("haystack", "bare"):
                asked = [(f"/{name}/{course}", json.dumps({"question": text})) for course, text in questions]
                job = Job(port=port, asked=asked, students=8, seconds=given.seconds)
                load(f"{name}, warming up", running.pid, job)
                rows += [load(name, running.pid, replace(job, students=n)) for n in given.students]
        finally:
            running.terminate()
    return rows


def measure_vta(home: Path, questions: Sequence[Asked], workers: int, given: Load) -> Row:
    """The figures of one server."""
    with serve(home, workers) as (port, pid):
        found = asyncio.run(routes(port, questions))
        everything = Job(port=port, asked=[vta_request(*each) for each in questions], students=8, seconds=4)
        load("warming up", pid, replace(everything, distinct=True))  # each worker
        before = memory_mb(pid)
        rows = []
        for part, route in PARTS.items():
            asked = [vta_request(*each) for each in questions if found[each] == route]
            rows += measure(part, port, pid, asked, given, distinct=True)
        direct = [each for each in questions if found[each] == "direct"]
        streamed = [vta_request(*each, stream=True) for each in direct]
        asyncio.run(routes(port, direct))  # asks each of them before
        for part, asked, distinct in (
            ("direct, streamed", streamed, True),
            ("direct, asked before", [vta_request(*each) for each in direct], False),
        ):
            job = Job(port=port, asked=asked, students=8, seconds=given.seconds, distinct=distinct)
            rows.append(load(part, pid, job))
        after = memory_mb(pid)
        turns = sum(row["turns"] for row in rows)
        if given.turns:
            rows.append(load("all", pid, replace(everything, seconds=1e9, most=given.turns)))
            turns, before, after = given.turns, after, memory_mb(pid)
    return {
        "workers": workers,
        "rows": rows,
        "memory": {"turns": turns, "before_mb": before, "after_mb": after},
    }


def measure(
    name: str,
    port: int,
    pid: int,
    asked: list[Asked],
    given: Load,
    *,
    distinct: bool = False,
) -> list[Row]:
    """One row for each number of students, and one at half of the best rate."""
    job = Job(port=port, asked=asked, students=1, seconds=given.seconds, distinct=distinct)
    rows = [load(name, pid, replace(job, students=n)) for n in given.students]
    rate = max(row["turns_a_second"] for row in rows) / 2
    half = replace(job, students=max(given.students), seconds=2 * given.seconds, rate=rate)
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
    arguments = ["--port", "0", *(["--workers", str(workers)] if workers > 1 else [])]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    environment = {**clean, **OFF, "PYTHONPATH": str(ROOT), "VTA_HOME": str(home), **variables}
    with subprocess.Popen(
        [sys.executable, "-m", "services.cli", "serve", *arguments],
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
