"""The LTI tool in a frame of a platform on another site, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import lti_platform as lti
import pytest
from chromium import Chromium, ask
from playwright.sync_api import BrowserContext, expect
from served_platform import Served

from vta.types.courses import CourseId

COURSE = "stacks-en"

pytestmark = [pytest.mark.browser, pytest.mark.settings(lti_private_addresses=True)]


@pytest.fixture
def lms(api: Served) -> Iterator[lti.LtiTestPlatform]:
    """A running platform on another site, whose context is a course."""
    with lti.LtiTestPlatform() as platform:
        platform.join(api, COURSE)
        yield platform


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[BrowserContext]:
    """A browser that keeps third-party cookies only where they are partitioned."""
    with chromium.use("--test-third-party-cookie-phaseout") as started:
        context = started.new_context(locale="en")
        faults: list[str] = []
        context.on("weberror", lambda error: faults.append(str(error.error)))
        # shown beside a failure
        context.on("requestfailed", lambda request: print("failed:", request.url, request.failure))
        context.on("response", lambda reply: print(reply.status, reply.url) if reply.status >= 400 else None)
        yield context
        assert faults == []


def owners(api: Served) -> set[str | None]:
    """The learners that the course's questions are of."""
    sessions = api.platform.stores.sessions
    turns = sessions.latest_questions(CourseId(COURSE), 10)
    return {sessions.learner_of_turn(CourseId(COURSE), turn.id) for turn in turns}


def test_a_student_asks_in_a_frame_and_finds_their_history_again(
    api: Served, lms: lti.LtiTestPlatform, browser: BrowserContext
) -> None:
    """The partitioned cookie carries them; in a new tab their last session is there."""
    page = browser.new_page()
    page.goto(lms.course_address)
    ask(page.frame_locator("#tool"), "What is a stack?")
    (owner,) = owners(api)
    assert owner is not None
    assert owner.startswith("visitor:")
    again = browser.new_page()
    again.goto(lms.course_address)
    expect(again.frame_locator("#tool").get_by_test_id("answer-html").first).to_be_visible()


def test_a_frame_that_is_too_short_asks_the_platform_for_more_height(
    api: Served, lms: lti.LtiTestPlatform, browser: BrowserContext
) -> None:
    """By `lti.frameResize`, never for more than a screen."""
    page = browser.new_page()
    page.add_init_script(
        "window.heights = []; addEventListener('message', ({ data }) =>"
        " data.subject === 'lti.frameResize' && heights.push(data.height))"
    )
    page.goto(lms.course_address)
    page.locator("#tool").evaluate("(frame) => (frame.height = 300)")
    ask(page.frame_locator("#tool"), "What is a stack?")
    page.wait_for_function("heights.length > 0")
    heights = page.evaluate("heights")
    assert all(300 < height <= page.evaluate("screen.availHeight") for height in heights)


def test_an_instructor_goes_from_the_frame_to_the_console(
    lms: lti.LtiTestPlatform, browser: BrowserContext
) -> None:
    """In a window of its own, logged in, though the console is in nobody's frame."""
    lms.next_launch.role = lti.INSTRUCTOR
    page = browser.new_page()
    page.goto(lms.course_address)
    with browser.expect_page() as opened:
        page.frame_locator("#tool").get_by_test_id("open-console").click()
    console = opened.value
    expect(console.get_by_test_id("nav-inbox")).to_be_visible()
    console.get_by_test_id("nav-faq").click()
    expect(console.get_by_test_id("log-out")).to_be_visible()
