"""Launches in a browser that keeps nothing of ours at all: no cookie, and no storage of a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import lti_platform as lti
import moodle_like as moodle
import pytest
from chromium import Chromium, ask
from playwright.sync_api import BrowserContext
from served_platform import Served

from vta.types.courses import CourseId

COURSE = "stacks-en"

pytestmark = [pytest.mark.browser, pytest.mark.settings(lti_private_addresses=True)]


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
    api: Served, refusing: BrowserContext
) -> None:
    """The frame keeps the window's secret; the platform, whose hint serves once, is asked once."""
    with moodle.MoodleLike() as lms:
        lms.join(api, COURSE)
        page = refusing.new_page()
        page.goto(lms.view_address(moodle.STUDENT))
        with page.expect_popup() as opened:
            page.frame_locator("#tool").get_by_test_id("open-window").click()
        ask(opened.value, "What is a stack?")
        assert len(lms.asked) == 1
    assert refusing.cookies(api.address) == []


def test_a_platform_that_stores_for_us_brings_the_student_in_the_frame(
    api: Served, refusing: BrowserContext
) -> None:
    """The log-in's secret goes to the platform and back, and the page itself carries the learner."""
    with lti.LtiTestPlatform(storage_target="_parent") as lms:
        lms.join(api, COURSE)
        page = refusing.new_page()
        page.goto(lms.course_address)
        ask(page.frame_locator("#tool"), "What is a stack?")
        assert page.evaluate("window.asked") == ["lti.put_data", "lti.get_data"]
    assert refusing.cookies(api.address) == []
    sessions = api.platform.stores.sessions
    (turn,) = sessions.latest_questions(CourseId(COURSE), 10)
    owner = sessions.learner_of_turn(CourseId(COURSE), turn.id)
    assert owner is not None
    assert owner.startswith("visitor:")
