"""How often a question changes threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from small_platform import COURSES, KeywordIntents, write_files

from services.app import create_app
from services.settings import Settings
from services.wiring import build_platform
from vta.ingest.pipeline import ingest


class CountingThreads(ThreadPoolExecutor):
    def __init__(self) -> None:
        super().__init__(4)
        self.jobs = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.jobs += 1
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_without_a_model_is_one_job(tmp_path: Path, stream: bool) -> None:
    """One job to see who asks and whether the course is open, and one for the answer."""
    platform = build_platform(Settings(home=tmp_path / "home"), intents=KeywordIntents())
    for course, files in COURSES.values():
        platform.stores.courses.add(course)
        given = write_files(tmp_path / "given" / course.id, files)
        ingest([given], course=course, readers=platform.readers, documents=platform.stores.documents)
    platform.knowledge.current()
    threads = CountingThreads()
    asyncio.get_running_loop().set_default_executor(threads)
    transport = httpx.ASGITransport(app=create_app(platform))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        for question in ("What is a stack?", "Why is a stack used?"):
            before = threads.jobs
            body = {"question": question, "stream": stream}
            reply = await client.post("/v1/courses/stacks-en/dialogue", json=body)
            assert (reply.status_code, threads.jobs - before) == (200, 2), reply.text
    await asyncio.to_thread(platform.close)
