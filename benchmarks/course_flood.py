"""How much slower a course answers while another one is flooded, over a real socket.

.venv/bin/python benchmarks/course_flood.py --questions 200 --flood 40

One process without a language model serves two courses of the same texts. Questions to the calm course are
asked one after the other, first alone, then while so many clients ask the other course without a pause. The
clients are a process of their own on the same machine.

Three plans are measured in turns: `fair` is what the platform does (threads go to courses in turn);
`semaphore` lets one question of a course at a time into the usual executor; `plain` is that executor alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import socket
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import uvicorn

from services import app
from services.api import answering
from services.api.session_order import SessionOrder
from services.http.fair_threads import THREADS
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types import Course, CourseDocument, CourseId, Language, PairId, QAPair, Question, Source

PLANS = ("fair", "semaphore", "plain")
CALM, FLOODED = CourseId("calm"), CourseId("flooded")
WORDS = "stack queue list tree graph heap table array node edge sort search".split()


def main() -> None:
    """Print one JSON object; times are milliseconds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--flood", type=int, default=40, help="clients that flood the other course")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    found: dict[str, list[dict[str, float]]] = {plan: [] for plan in PLANS}
    for _ in range(options.rounds):
        for plan in PLANS:
            found[plan].append(measure_plan(plan, options.questions, options.flood))
    print(json.dumps(found, indent=2))


def measure_plan(plan: str, questions: int, flood: int) -> dict[str, float]:
    """The figures of one plan, in a server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = multiprocessing.get_context("spawn").Process(target=serve, args=(folder, port, plan))
        server.start()
        try:
            return asyncio.run(measure(port, questions, flood))
        finally:
            server.terminate()
            server.join()


class OneAtATime(SessionOrder):
    """Also lets only one question of a course through at a time."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._alone: defaultdict[CourseId, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(1))

    @asynccontextmanager
    async def turn(self, question: Question) -> AsyncIterator[None]:
        async with super().turn(question), self._alone[question.course_id]:
            yield


def choose(plan: str) -> None:
    """Put the plan's parts in the place of the platform's own, in this process."""
    if plan != "fair":
        app.FairThreads = partial(ThreadPoolExecutor, THREADS)  # type: ignore[misc,assignment]
        app.SWITCH_S = sys.getswitchinterval()
    if plan == "semaphore":
        answering.SessionOrder = OneAtATime  # type: ignore[misc]


def serve(folder: str, port: int, plan: str) -> None:
    """Two courses at a port, without limits, until the process is ended."""
    choose(plan)
    off = {"limit_learner": 0, "limit_address": 0, "limit_requests": 0, "limit_key": 0}
    platform = build_platform(Settings(home=Path(folder), **off))
    for course in (CALM, FLOODED):
        fill(platform, course)
    uvicorn.run(
        app.create_app(platform), host="127.0.0.1", port=port, log_level="warning", proxy_headers=False
    )


async def until_up(client: httpx.AsyncClient) -> None:
    while True:
        try:
            (await client.get("/readyz")).raise_for_status()
            return
        except httpx.HTTPError:
            await asyncio.sleep(0.2)


def fill(platform: Platform, course_id: CourseId) -> None:
    """2,000 made-up pairs."""
    course = Course(id=course_id, name=course_id, domains=("Computing",), language=Language.EN)
    platform.stores.courses.add(course)
    pairs = tuple(
        QAPair(
            id=PairId(f"{course_id}-{n}"),
            course_id=course_id,
            source=Source.FAQ,
            question=f"What is a {WORDS[n % 12]} {WORDS[n // 12 % 12]} number {n}?",
            answer=f"A {WORDS[n % 12]} holds {WORDS[n // 7 % 12]} after {WORDS[n // 5 % 12]}.",
            domains=course.domains,
            document="faq.csv",
        )
        for n in range(2_000)
    )
    platform.stores.documents.apply(
        course_id, put=[CourseDocument(path="faq.csv", sha256=course_id, pairs=pairs)]
    )


async def measure(port: int, questions: int, flood: int) -> dict[str, float]:
    """The 50th and 95th percentile of the calm course, alone and beside the flood, and their ratio."""
    address = f"http://127.0.0.1:{port}"
    limits = httpx.Limits(max_connections=flood + 1)
    async with httpx.AsyncClient(base_url=address, timeout=120.0, trust_env=False, limits=limits) as client:
        await until_up(client)
        await asked(client, CALM, 20)
        alone = await asked(client, CALM, questions)
        stop, answered = asyncio.Event(), [0]
        tasks = [asyncio.create_task(flooding(client, stop, answered)) for _ in range(flood)]
        await asked(client, CALM, 5)
        began, before = time.perf_counter(), answered[0]
        beside = await asked(client, CALM, questions)
        rate = (answered[0] - before) / (time.perf_counter() - began)
        stop.set()
        await asyncio.gather(*tasks)
    return {
        "alone_p50": round(statistics.median(alone), 1),
        "alone_p95": round(p95(alone), 1),
        "beside_p50": round(statistics.median(beside), 1),
        "beside_p95": round(p95(beside), 1),
        "ratio_p95": round(p95(beside) / p95(alone), 2),
        "flood_answered_a_second": round(rate, 1),
    }


async def asked(client: httpx.AsyncClient, course: CourseId, questions: int) -> list[float]:
    """Milliseconds of so many questions, one after the other."""
    taken = []
    for number in range(questions):
        began = time.perf_counter()
        await ask(client, course, number)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


async def flooding(client: httpx.AsyncClient, stop: asyncio.Event, answered: list[int]) -> None:
    while not stop.is_set():
        await ask(client, FLOODED, answered[0])
        answered[0] += 1


async def ask(client: httpx.AsyncClient, course: CourseId, number: int) -> None:
    body = {"question": f"What is a {WORDS[number % 12]} {WORDS[number // 12 % 12]}?"}
    (await client.post(f"/v1/courses/{course}/dialogue", json=body)).raise_for_status()


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    main()
