"""An instructor names the assistant and sets its tone, model and tokens in a real browser, by keyboard."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_core import AXE, RUN
from console_client import open_console
from playwright.sync_api import Page, expect
from scripted_llm import ScriptedLlm
from served_platform import Serve

from vta.types.courses import CourseId

LEFT = {
    "stacks-en": "Used today: 0 of 800 tokens; 800 left.",
    "stacks-zh": "今天已用 0 个词元，上限 800，还剩 800。",
}

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("course", LEFT)
def test_the_assistant_is_set_by_keyboard_and_fits_a_phone(
    serve: Serve, browser_page: Page, scripted_llm: ScriptedLlm, course: str
) -> None:
    """From the field of the tone to Save by Tab; nothing overflows at 390 px, and axe finds no fault."""
    page = browser_page
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_models="m-2", llm_course_tokens=1000)
    open_console(api, page, "settings", course)
    page.get_by_test_id("tone").focus()
    page.keyboard.type("Be brief.")
    page.keyboard.press("Tab")
    page.keyboard.type("m-2")
    page.keyboard.press("Tab")
    page.keyboard.type("800")
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("tokens-left")).to_have_text(LEFT[course])
    found = api.platform.stores.settings.settings(CourseId(course))
    assert (found.tone, found.model, found.daily_tokens) == ("Be brief.", "m-2", 800)
    page.get_by_test_id("assistant").fill("Bo")
    with page.expect_navigation():
        page.get_by_test_id("save-students").press("Enter")
    page.locator("section[aria-labelledby=model-use] summary").press("Enter")
    expect(page.get_by_test_id("tokens-of-day")).to_have_count(7)
    axe = Path(os.environ.get("VTA_TEST_AXE", AXE))
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        if folder := os.environ.get("VTA_TEST_PICTURES"):
            section = page.locator("section[aria-labelledby=model-use]")
            section.screenshot(path=Path(folder) / f"{course}-{width}.png")
        if axe.exists():
            page.evaluate(axe.read_text(encoding="utf-8"))
            assert page.evaluate(RUN) == []
    page.goto(f"{api.address}/embed/{course}")
    expect(page.get_by_role("heading", level=2, name="Bo")).to_be_visible()
