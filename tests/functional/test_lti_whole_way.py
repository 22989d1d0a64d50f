"""From a registration link to a student's first answer, on a platform that behaves as Moodle does."""

from __future__ import annotations

import time

import moodle_like as moodle
import pytest
from chromium import Chromium
from playwright.sync_api import Page, Route, expect
from served_platform import Serve

from vta.types.courses import CourseId, Role

COURSE = CourseId("stacks-en")
MOST_S = 120.0

pytestmark = pytest.mark.browser


class Counted:
    """Presses and typing in a page, counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tool = page.frame_locator("#tool")
        self.presses = 0

    def press(self, where: object) -> None:
        self.presses += 1
        where.click()  # type: ignore[attr-defined]


def drop_cookies(route: Route) -> None:
    reply = route.fetch(max_redirects=0)
    headers = {name: value for name, value in reply.headers.items() if name != "set-cookie"}
    route.fulfill(response=reply, headers=headers)


def test_from_the_registration_link_to_a_first_answer(serve: Serve, chromium: Chromium) -> None:
    """Admin, teacher and student, in frames, the student's without any cookie: in under two minutes."""
    api = serve(lti_private_addresses=True)
    stores = api.platform.stores
    link = f"{api.address}/lti/register?invite={stores.lti_invitations.make()}"
    key, _ = stores.keys.make(COURSE, Role.INSTRUCTOR)
    arguments = ("--test-third-party-cookie-phaseout", "--disable-features=LocalNetworkAccessChecks")
    with (
        moodle.MoodleLike() as lms,
        chromium.use(*arguments) as started,
    ):
        began = time.monotonic()
        admin = Counted(started.new_context(locale="en").new_page())
        admin.page.goto(f"{lms.address}/mod/lti/toolconfigure.php")
        admin.page.get_by_label("Tool URL").fill(link)
        admin.press(admin.page.get_by_role("button", name="Add LTI Advantage"))
        admin.press(admin.page.get_by_role("button", name="Activate"))
        registered = time.monotonic()

        teacher = Counted(started.new_context(locale="en").new_page())
        teacher.page.goto(lms.select_address(moodle.TEACHER))
        teacher.tool.get_by_test_id("key").fill(key)
        teacher.press(teacher.tool.get_by_test_id("connect"))
        teacher.tool.get_by_test_id("part").select_option(index=1)
        teacher.presses += 2  # to open the list, and to choose
        teacher.press(teacher.tool.get_by_test_id("add-link"))
        expect(teacher.tool.get_by_text("Content selected")).to_be_visible()
        linked = time.monotonic()

        student = Counted(started.new_context(locale="en").new_page())
        student.page.route(f"{api.address}/lti/login*", drop_cookies)
        student.page.goto(lms.view_address(moodle.STUDENT))
        student.tool.get_by_test_id("question-input").fill("What is a stack?")
        student.press(student.tool.get_by_test_id("send"))
        expect(student.tool.get_by_test_id("answer-html").first).to_be_visible()
        answered = time.monotonic()
        frame = student.page.frame(url=f"{api.address}/**")
        assert frame is not None
        assert frame.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('vta_'))") == []
        names = {cookie["name"] for cookie in student.page.context.cookies()}
        assert not any(name.startswith("vta_learner_") for name in names)

    presses = (admin.presses, teacher.presses, student.presses)
    seconds = (registered - began, linked - registered, answered - linked)
    print("presses", presses, "seconds", [round(each, 1) for each in seconds])
    assert presses == (2, 4, 1)
    assert answered - began < MOST_S
    (item,) = lms.links
    assert item["title"].startswith("Teaching assistant · ")
    assert set(item["custom"]) == {"vta_course", "unit"}
    assert all("lti_storage_target" not in each for each in lms.asked)
