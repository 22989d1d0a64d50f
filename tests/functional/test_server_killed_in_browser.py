"""A server that is killed while it answers: the student presses Retry once it is back, and goes on."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect
from scripted_llm import Call, ScriptedLlm, chunk

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WHY = "Why does a stack have a top, and how does it differ from a queue?"
STARTED_MS = 60_000


@contextmanager
def process(home: Path, port: int, llm: ScriptedLlm) -> Iterator[subprocess.Popen[bytes]]:
    """`vta serve` over a data folder; killed at the end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    environment = {**clean, "VTA_LLM_BASE_URL": llm.base_url, "VTA_LLM_MODEL": llm.model}
    command = [sys.executable, "-m", "services.cli", "serve", "--port", str(port), "--home", str(home)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline()  # it listens
        up = httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=STARTED_MS / 1000, trust_env=False)
        assert up.status_code == 200
        try:
            yield running
        finally:
            running.kill()


async def writes_and_hangs(call: Call) -> None:
    """A model that never comes to the end of its answer."""
    await call.begin_stream()
    await call.send(chunk("A stack has one end, the **top**, where values are put and taken. "))
    await call.pause(None)


def test_after_a_kill_retry_answers_and_the_conversation_goes_on(
    home: Path, scripted_llm: ScriptedLlm, browser_page: Page
) -> None:
    """The first question of a conversation, whose session the new server never stored."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    page = browser_page
    with process(home, port, scripted_llm) as server:
        page.goto(f"http://127.0.0.1:{port}/embed/stacks-en")
        scripted_llm.play(writes_and_hangs)
        page.get_by_test_id("question-input").fill(WHY)
        page.get_by_test_id("question-input").press("Enter")
        expect(page.get_by_test_id("citations")).to_be_visible(timeout=STARTED_MS)
        assert scripted_llm.arrived.wait(STARTED_MS / 1000)
        server.kill()
        expect(page.get_by_test_id("problem")).to_have_attribute("data-code", "network", timeout=STARTED_MS)
    scripted_llm.play(scripted_llm.ok("A stack has one end, the top [1]."))
    with process(home, port, scripted_llm):
        page.get_by_test_id("retry").click()
        expect(page.get_by_test_id("answer-html")).to_contain_text("A stack", timeout=STARTED_MS)
        expect(page.get_by_test_id("problem")).to_have_count(0)
        page.get_by_test_id("question-input").fill("What is a stack?")
        page.get_by_test_id("question-input").press("Enter")
        expect(page.get_by_test_id("answer-html")).to_have_count(2, timeout=STARTED_MS)
        page.reload()
        expect(page.get_by_test_id("question")).to_have_text([WHY, "What is a stack?"], timeout=STARTED_MS)
