"""PostgreSQL, Redis or the language model hangs, is slow, breaks off or is away, while students ask."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import pytest
from fault_proxy import Fault, FaultProxy
from local_http import free_port
from redis_server import run_redis
from scripted_llm import ScriptedLlm
from served_platform import Served, add_courses, served
from small_platform import COURSES, KeywordIntents
from sqlalchemy import make_url

from services.settings import Settings
from services.store.engine import open_engine
from services.wiring import build_platform

DEADLINE_S = 50.0
"""Longer than the time-outs of the settings below, one after the other; without them a hang has no end."""
QUESTIONS = ("What is a deque?", "Why do editors undo with a stack?", "hello", "When does the moon rise?")


@dataclass
class House:
    """A platform whose services are all behind proxies."""

    served: Served
    proxies: dict[str, FaultProxy]

    def ask(self, question: str, *, stream: bool, course: str = "stacks-en") -> tuple[str, float]:
        """How it ended, and after how many seconds."""
        begun = time.monotonic()
        body = {"question": question, "stream": stream}
        with httpx.Client(base_url=self.served.address, timeout=60.0, trust_env=False) as client:
            reply = client.post(f"/v1/courses/{course}/dialogue", json=body)
        return _end_of(reply), time.monotonic() - begun

    def is_well(self) -> bool:
        return self.ask("What is a deque?", stream=False)[0] == "answered"


def _end_of(reply: httpx.Response) -> str:
    if reply.status_code == 503 and reply.json()["code"] in ("upstream_failed", "not_ready"):
        return "declared"
    if reply.status_code != 200:
        return f"{reply.status_code} {reply.text[:200]}"
    if not reply.headers["content-type"].startswith("text/event-stream"):
        return "answered"
    last = reply.text.replace("\r\n", "\n").strip().rpartition("\n\n")[2]
    if last.startswith("event: error") and ("upstream_failed" in last or "not_ready" in last):
        return "declared"
    return "answered" if last.startswith("event: done") else last[:200]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, postgres_server: str) -> Iterator[House]:
    name = f"vta_test_{uuid.uuid4().hex}"
    engine = open_engine(postgres_server).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    engine.dispose()
    database = make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    with ExitStack() as stack:
        llm = stack.enter_context(ScriptedLlm())
        llm.play(llm.ok("A stack keeps what was done last on top [1]."))
        port = free_port()
        stack.enter_context(run_redis(tmp_path_factory.mktemp("redis"), port=port))
        redis = f"redis://127.0.0.1:{port}/0"
        addresses = {"postgres": database, "redis": redis, "model": llm.base_url}
        proxies = {service: stack.enter_context(FaultProxy.before(url)) for service, url in addresses.items()}
        settings = Settings(
            home=tmp_path_factory.mktemp("house"),
            database_url=proxies["postgres"].instead_of(database),
            database_timeout_s=2.0,
            redis_url=proxies["redis"].instead_of(redis),
            llm_base_url=proxies["model"].instead_of(llm.base_url),
            llm_model=llm.model,
            llm_timeout_s=4.0,
        )
        platform = build_platform(settings, intents=KeywordIntents())
        add_courses(platform, COURSES)
        yield House(stack.enter_context(served(platform)), proxies)


@pytest.mark.parametrize("service", ["postgres", "redis", "model"])
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.DELAY, Fault.RESET, Fault.REFUSE])
def test_every_question_ends_in_time_and_the_process_lives(house: House, service: str, fault: Fault) -> None:
    """Each with an answer or a declared 503; /healthz says 200 throughout; afterwards all is as before.

    Only the store is needed for an answer: without Redis or the model there is one to every question.
    """
    assert house.is_well()
    with ThreadPoolExecutor(9) as pool, house.proxies[service].failing(fault, seconds=0.05):
        asked = [
            pool.submit(house.ask, question, stream=stream)
            for question in QUESTIONS
            for stream in (True, False)
        ]
        while not all(each.done() for each in asked):
            alive = httpx.get(f"{house.served.address}/healthz", timeout=30.0, trust_env=False)
            assert alive.status_code == 200
            time.sleep(0.02)
        ends = [each.result() for each in asked]
    assert {end for end, _ in ends} <= ({"answered", "declared"} if service == "postgres" else {"answered"})
    assert max(seconds for _, seconds in ends) < DEADLINE_S
    until = time.monotonic() + 60
    while not house.is_well():
        assert time.monotonic() < until, "it does not recover"
        time.sleep(0.1)
