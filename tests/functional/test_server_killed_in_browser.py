"""A server that is killed while it answers: the student presses Retry once it is back, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_http import free_port
from playwright.sync_api import Page, expect
from scripted_llm import Call, ScriptedLlm, chunk
from worker_server import worker_server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WHY = "Why does a stack have a top, and how does it differ from a queue?"
STARTED_MS = 60_000


async def writes_and_hangs(call: Call) -> None:
    """A model that never comes to the end of its answer."""
    await call.begin_stream()
    await call.send(chunk("A stack has one end, the **top**, where values are put and taken. "))
    await call.pause(None)


def test_after_a_kill_retry_answers_and_the_conversation_goes_on(
    home: Path, scripted_llm: ScriptedLlm, browser_page: Page
) -> None:
    """The first question of a conversation, whose session the new server never stored."""
    page = browser_page
    port, settings = (
        str(free_port()),
        {"llm_base_url": scripted_llm.base_url, "llm_model": scripted_llm.model},
    )
    with worker_server(home, "--port", port, workers=1, **settings) as server:
        page.goto(f"http://127.0.0.1:{port}/embed/stacks-en")
        scripted_llm.play(writes_and_hangs)
        page.get_by_test_id("question-input").fill(WHY)
        page.get_by_test_id("question-input").press("Enter")
        expect(page.get_by_test_id("citations")).to_be_visible(timeout=STARTED_MS)
        assert scripted_llm.arrived.wait(STARTED_MS / 1000)
        server.running.kill()
        expect(page.get_by_test_id("problem")).to_have_attribute("data-code", "network", timeout=STARTED_MS)
    scripted_llm.play(scripted_llm.ok("A stack has one end, the top [1]."))
    with worker_server(home, "--port", port, workers=1, **settings):
        page.get_by_test_id("retry").click()
        expect(page.get_by_test_id("answer-html")).to_contain_text("A stack", timeout=STARTED_MS)
        expect(page.get_by_test_id("problem")).to_have_count(0)
        page.get_by_test_id("question-input").fill("What is a stack?")
        page.get_by_test_id("question-input").press("Enter")
        expect(page.get_by_test_id("answer-html")).to_have_count(2, timeout=STARTED_MS)
        page.reload()
        expect(page.get_by_test_id("question")).to_have_text([WHY, "What is a stack?"], timeout=STARTED_MS)
