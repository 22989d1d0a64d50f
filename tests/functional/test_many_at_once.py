"""Many questions at once: of one course, which must not hold up another, and of one student's tabs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from served_platform import Serve
from small_platform import KeywordIntents

from services.web.fair_threads import THREADS
from vta.types.questions import IntentPrediction

FLOODED, CALM = "/v1/courses/stacks-en", "/v1/courses/stacks-zh"


class GatedIntents:
    """`vta.ports.IntentClassifier`: questions of one course are stuck until the gate is opened."""

    def __init__(self, real: Any, course: str) -> None:
        self.real = real
        self.course = course
        self.gate = threading.Event()
        self.stuck = threading.Semaphore(0)

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        if course == self.course:
            self.stuck.release()
            self.gate.wait(60.0)
        return self.real.predict(question, previous=previous, course=course)


@pytest.fixture
def gated() -> Iterator[GatedIntents]:
    intents = GatedIntents(KeywordIntents(), "Stacks and queues")
    yield intents
    intents.gate.set()


async def until_stuck(gated: GatedIntents, questions: int) -> None:
    for _ in range(questions):
        assert await asyncio.to_thread(gated.stuck.acquire, timeout=30.0)


@pytest.mark.fault(case="T41")
async def test_a_flooded_course_does_not_hold_up_another(serve: Serve, gated: GatedIntents) -> None:
    """Forty questions of one course are stuck; another course answers; in the end all are answered (T41)."""
    api = serve(intents=gated, limit_learner=0)
    async with httpx.AsyncClient(base_url=api.address, trust_env=False, timeout=60.0) as client:
        flood = [
            asyncio.create_task(client.post(f"{FLOODED}/dialogue", json={"question": "What is a stack?"}))
            for _ in range(40)
        ]
        await until_stuck(gated, THREADS // 2)
        for stream in (False, True):
            reply = await client.post(f"{CALM}/dialogue", json={"question": "什么是栈？", "stream": stream})
            assert reply.status_code == 200
        assert not any(task.done() for task in flood)
        gated.gate.set()
        assert {reply.status_code for reply in await asyncio.gather(*flood)} == {200}


@pytest.mark.fault(case="T41")
async def test_a_full_course_says_when_to_come_back(serve: Serve, gated: GatedIntents) -> None:
    """Beyond VTA_LIMIT_COURSE a question gets 429 with Retry-After, streamed or not; others do not (T41)."""
    api = serve(intents=gated, limit_course=2)
    async with httpx.AsyncClient(base_url=api.address, trust_env=False, timeout=60.0) as client:
        body = {"question": "What is a stack?"}
        running = [asyncio.create_task(client.post(f"{FLOODED}/dialogue", json=body)) for _ in range(2)]
        await until_stuck(gated, 2)
        chat = {"model": "m", "messages": [{"role": "user", "content": "What is a stack?"}]}
        for path, refused in [
            ("dialogue", body),
            ("dialogue", {**body, "stream": True}),
            ("chat/completions", chat),
        ]:
            reply = await client.post(f"{FLOODED}/{path}", json=refused)
            assert (reply.status_code, reply.json()["code"]) == (429, "limit_exceeded")
            assert int(reply.headers["retry-after"]) >= 1
        assert (await client.post(f"{CALM}/dialogue", json={"question": "什么是栈？"})).status_code == 200
        gated.gate.set()
        assert {reply.status_code for reply in await asyncio.gather(*running)} == {200}
        assert (await client.post(f"{FLOODED}/dialogue", json=body)).status_code == 200


@pytest.mark.fault(case="T55")
def test_two_tabs_of_one_student_make_one_conversation(serve: Serve) -> None:
    """Every question is understood after the turn before it, and each tab's stay in order (T55)."""
    intents = KeywordIntents()
    api = serve(intents=intents, limit_learner=0)
    first = api.client.post(f"{FLOODED}/dialogue", json={"question": "What is a stack?"}).json()
    session = first["session_id"]

    def ask(tab: str, number: int) -> None:
        body = {
            "question": f"Why does a stack of tab {tab} have {number} elements?",
            "session_id": session,
            "stream": number % 2 == 0,
        }
        reply = api.client.post(f"{FLOODED}/dialogue", json=body)
        assert reply.status_code == 200
        assert "event: error" not in reply.text

    def use(tab: str) -> None:
        for number in range(5):
            ask(tab, number)

    with ThreadPoolExecutor(4) as tabs:
        list(tabs.map(use, "abcd"))
    turns = api.client.get(f"{FLOODED}/sessions/{session}").json()["turns"]
    assert [turn["number"] for turn in turns] == list(range(1, 22))
    questions = [turn["question"] for turn in turns]
    for tab in "abcd":
        of_tab = [question for question in questions if f"tab {tab}" in question]
        assert of_tab == [f"Why does a stack of tab {tab} have {number} elements?" for number in range(5)]
    previous = {question: before for question, before, _ in intents.told}
    assert [previous[question] for question in questions] == ["", *questions[:-1]]
