"""Launches from a platform that stores nothing for us, in browsers that keep no cookie of ours in a frame."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moodle_like as moodle
import pytest
from chromium import Chromium
from joserfc.jwk import RSAKey
from playwright.sync_api import BrowserContext, Route, expect
from served_platform import Serve, Served

from services.storage.lti_platforms import LtiContext
from vta.types import CourseId

COURSE = "stacks-en"

pytestmark = pytest.mark.browser


@pytest.fixture
def api(serve: Serve) -> Served:
    return serve(lti_private_addresses=True)


@pytest.fixture
def lms(api: Served) -> Iterator[moodle.MoodleLike]:
    """A running platform on another site, whose course is mapped."""
    with moodle.MoodleLike(key=RSAKey.generate_key(2048, {"kid": "key-1"})) as platform:
        known = api.platform.stores.lti_platforms.add(**platform.registered(api.address))
        context = LtiContext(platform_id=known.id, deployment_id=moodle.DEPLOYMENT, context_id="117")
        api.platform.stores.lti_platforms.map(context, CourseId(COURSE))
        yield platform


def ask_in(frame: Any) -> None:
    frame.get_by_test_id("question-input").fill("What is a stack?")
    frame.get_by_test_id("send").click()
    expect(frame.get_by_test_id("answer-html").first).to_be_visible(timeout=20_000)


def drop_cookies(route: Route) -> None:
    """As a browser does that keeps none of another site, partitioned or not."""
    reply = route.fetch(max_redirects=0)
    headers = {name: value for name, value in reply.headers.items() if name != "set-cookie"}
    route.fulfill(response=reply, headers=headers)


def test_in_a_frame_without_cookies_the_frames_own_storage_keeps_the_log_in(
    api: Served, lms: moodle.MoodleLike, chromium: Chromium
) -> None:
    """The student asks with no press more, though the platform stores nothing; the secret is gone then."""
    with chromium.use("--disable-features=LocalNetworkAccessChecks") as started:
        page = started.new_context(locale="en").new_page()
        page.route(f"{api.address}/lti/login*", drop_cookies)
        page.goto(lms.view_address(moodle.STUDENT))
        ask_in(page.frame_locator("#tool"))
        frame = page.frame(url=f"{api.address}/**")
        assert frame is not None
        assert frame.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('vta_'))") == []
        assert not any(cookie["name"].startswith("vta_learner_") for cookie in page.context.cookies())
    assert "lti_storage_target" not in lms.asked[0]


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
    ask_in(opened.value)
    assert len(lms.asked) == 1
    assert refusing.cookies(api.address) == []
