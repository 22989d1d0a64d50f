"""How often a question changes threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from scripted_llm import ScriptedLlm
from served_platform import Build, client_of


class CountingThreads(ThreadPoolExecutor):
    def __init__(self) -> None:
        super().__init__(4)
        self.jobs = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.jobs += 1
        return super().submit(fn, *args, **kwargs)


@pytest.fixture
def threads() -> CountingThreads:
    return CountingThreads()


async def ask(new_home: Build, threads: CountingThreads, question: str, stream: bool, **settings: Any) -> int:
    """How many jobs a question takes, once everything is open."""
    platform = new_home(**settings)
    platform.knowledge.current()
    asyncio.get_running_loop().set_default_executor(threads)
    async with client_of(platform) as client:
        body = {"question": question, "stream": stream}
        reply = await client.post("/v1/courses/stacks-en/dialogue", json=body)
    assert reply.status_code == 200, reply.text
    await asyncio.to_thread(platform.close)
    return threads.jobs - 1  # without that of closing


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("question", ["What is a stack?", "Why is a stack used?"])
async def test_an_answer_without_a_model_is_one_job(
    new_home: Build, threads: CountingThreads, question: str, stream: bool
) -> None:
    """From whether the course is open to the HTML."""
    assert await ask(new_home, threads, question, stream) == 1


async def test_a_direct_answer_beside_a_model_is_one_job(new_home: Build, threads: CountingThreads) -> None:
    """The model is not asked, so nothing is awaited on the way."""
    with ScriptedLlm() as llm:
        model = {"llm_base_url": llm.base_url, "llm_model": llm.model}
        assert await ask(new_home, threads, "When is the homework due?", False, **model) == 1
        assert llm.requests == []
