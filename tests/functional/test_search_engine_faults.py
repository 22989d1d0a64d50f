"""A platform whose Elasticsearch hangs, is slow, resets its connections or is not there at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from fault_proxy import Fault, FaultProxy
from served_platform import Served, TemplateHomes, served
from small_platform import KeywordIntents
from worker_server import until

from services.settings import Settings
from services.wiring import Platform, build_platform

TIMEOUT_S = 4.0
"""VTA_ELASTICSEARCH_TIMEOUT_S of these platforms."""
ALIVE_S = TIMEOUT_S
"""A process answers that it is alive within this, also on a busy machine; one that waits for Elasticsearch
takes longer."""
DEADLINE_S = 45.0
"""Within this every question has an answer or a declared 503, whatever Elasticsearch does."""
QUESTION = {"question": "When is the homework due?"}
DRAFT = {"question": "Where is the lab?", "answer": "In room 12."}


@pytest.fixture
def proxy(elasticsearch_url: str) -> Iterator[FaultProxy]:
    with FaultProxy.before(elasticsearch_url) as proxy:
        yield proxy


@pytest.fixture
def build(proxy: FaultProxy, alias: str, tmp_path: Path, templates: TemplateHomes) -> Callable[[], Platform]:
    """A platform with the small courses behind the proxy; each call is another process over its store."""
    home = tmp_path / "home"
    templates.copy_small(home, index=False)

    def build() -> Platform:
        settings = Settings(
            home=home,
            elasticsearch_url=proxy.url,
            elasticsearch_index=alias,
            elasticsearch_timeout_s=TIMEOUT_S,
        )
        return build_platform(settings, intents=KeywordIntents())

    return build


def ask(api: Served, question: dict[str, str] = QUESTION) -> httpx.Response:
    return api.client.post("/v1/courses/stacks-en/dialogue", json=question)


def is_whole(reply: httpx.Response) -> bool:
    return reply.status_code == 200 and reply.json()["degraded"] is None


def is_honest(reply: httpx.Response) -> bool:
    """An answer, or a 503 that says what is missing."""
    return reply.status_code == 200 or (reply.status_code == 503 and reply.json()["code"] != "error")


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.RESET, Fault.REFUSE])
def test_every_question_ends_in_time_and_the_process_stays_alive(
    build, proxy: FaultProxy, fault: Fault
) -> None:
    """Sixteen at once, with a change of the FAQ waiting; afterwards all is as before, without a restart."""
    with served(build()) as api:
        bearer = api.bearer()
        until(lambda: is_whole(ask(api)))

        def seconds_of(request: Callable[[], httpx.Response]) -> tuple[float, httpx.Response]:
            begun_s = time.monotonic()
            reply = request()
            return time.monotonic() - begun_s, reply

        with proxy.failing(fault), ThreadPoolExecutor(16) as pool:
            written = api.client.post("/v1/courses/stacks-en/faq", json=DRAFT, headers=bearer)
            asked = [pool.submit(seconds_of, lambda: ask(api)) for _ in range(16)]
            alive = []
            while not all(each.done() for each in asked):
                alive.append(seconds_of(lambda: api.client.get("/healthz"))[0])
            replies = [each.result() for each in asked]
            ready = api.client.get("/readyz")
            seconds, last = seconds_of(lambda: ask(api))
        assert is_honest(last)
        assert seconds < TIMEOUT_S  # by now it is known to be away, and nobody waits
        assert max(alive) < ALIVE_S
        assert written.status_code == 201
        assert [reply.status_code for _, reply in replies if not is_honest(reply)] == []
        assert max(seconds for seconds, _ in replies) < DEADLINE_S
        assert ready.status_code == 503
        assert "index: " in ready.json()["detail"]
        until(lambda: api.client.get("/readyz").status_code == 200)
        until(lambda: is_whole(ask(api)))
        assert "room 12" in ask(api, {"question": "Where is the lab?"}).json()["text"]


@pytest.mark.slow
def test_a_slow_search_engine_is_waited_for(build, proxy: FaultProxy) -> None:
    """Answers below the time limit count."""
    with served(build()) as api:
        until(lambda: is_whole(ask(api)))
        with proxy.failing(Fault.DELAY, seconds=0.1):
            assert is_whole(ask(api))


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.REFUSE])
def test_a_server_starts_without_its_search_engine_and_catches_up(
    build, proxy: FaultProxy, fault: Fault
) -> None:
    """It says so in /readyz, serves what needs no search, and indexes the courses when it can."""
    with proxy.failing(fault), served(build()) as api:
        assert api.client.get("/healthz").status_code == 200
        ready = api.client.get("/readyz")
        assert ready.status_code == 503
        assert "index: " in ready.json()["detail"]
        assert is_honest(ask(api))
        assert api.client.get("/v1/courses/stacks-en/concepts/stack").status_code < 504
        proxy.set(Fault.NONE)
        until(lambda: api.client.get("/readyz").status_code == 200)
        until(lambda: is_whole(ask(api)))
