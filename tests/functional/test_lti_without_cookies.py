"""A launch from a platform that stores nothing for us, in a browser that keeps nothing of ours at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import moodle_like as moodle
import pytest
from chromium import Chromium, ask
from playwright.sync_api import BrowserContext
from served_platform import Served

COURSE = "stacks-en"

pytestmark = [pytest.mark.browser, pytest.mark.settings(lti_private_addresses=True)]


@pytest.fixture
def lms(api: Served) -> Iterator[moodle.MoodleLike]:
    """A running platform on another site, whose course is mapped."""
    with moodle.MoodleLike() as platform:
        platform.join(api, COURSE)
        yield platform


@pytest.fixture
def refusing(api: Served, chromium: Chromium, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser that was told to keep nothing of the tool's site at all, in frames or windows."""
    blocked = {f"{api.address},*": {"setting": 2}}
    preferences = {"profile": {"content_settings": {"exceptions": {"cookies": blocked}}}}
    (tmp_path / "profile" / "Default").mkdir(parents=True)
    (tmp_path / "profile" / "Default" / "Preferences").write_text(json.dumps(preferences))
    with chromium.use():
        context = chromium.persistent(tmp_path / "profile")
        yield context
        context.close()


def test_where_nothing_is_kept_a_window_of_its_own_opens_by_one_press(
    api: Served, lms: moodle.MoodleLike, refusing: BrowserContext
) -> None:
    """The frame keeps the window's secret; the platform, whose hint serves once, is asked once."""
    page = refusing.new_page()
    page.goto(lms.view_address(moodle.STUDENT))
    with page.expect_popup() as opened:
        page.frame_locator("#tool").get_by_test_id("open-window").click()
    ask(opened.value, "What is a stack?")
    assert len(lms.asked) == 1
    assert refusing.cookies(api.address) == []
