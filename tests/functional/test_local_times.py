"""Times of the console in the reader's own zone, in a real browser, and in UTC where no script runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from chromium import Chromium
from playwright.sync_api import expect
from served_platform import Serve
from sqlalchemy import update

from services.people.invitations import Maker
from services.people.store import CourseRole
from services.store import tables
from vta.types.courses import CourseId, Role

COURSE = CourseId("stacks-en")

pytestmark = pytest.mark.browser


def test_a_time_is_the_readers_own(serve: Serve, chromium: Chromium) -> None:
    """Lately as so long ago with the full time as title, else in full; without scripts in UTC."""
    api = serve()
    key, instructor = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    maker = Maker(course_id=COURSE, key_id=instructor.id)
    api.platform.people.invite(maker, CourseRole.TA, name="Bo", email="", by="Ann")
    turn = api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": "Is there a book?"}).json()
    handed_on = api.client.post(f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/ask-ta")
    waiting = handed_on.json()["question_id"]
    with chromium.use() as browser:
        for scripts in (True, False):
            context = browser.new_context(
                locale="en-US", timezone_id="Asia/Shanghai", java_script_enabled=scripts
            )
            page = context.new_page()
            page.goto(f"{api.address}/console/{COURSE}/inbox/answer?q={waiting}")
            page.get_by_test_id("key").fill(key)
            with page.expect_navigation():
                page.get_by_test_id("log-in").click()
            asked = page.locator("fieldset time").first
            if scripts:
                expect(asked).to_have_text("just now")
                assert "GMT+8" in str(asked.get_attribute("title"))
            long_ago = datetime(2024, 3, 1, 20, 30, tzinfo=UTC)
            with api.platform.stores.engine.begin() as connection:
                connection.execute(update(tables.waiting_questions).values(created_at=long_ago))
            page.reload()
            coming = datetime.now(UTC) + timedelta(days=6)
            with api.platform.stores.engine.begin() as connection:
                connection.execute(update(tables.invitations).values(expires_at=coming))
            other = context.new_page()
            other.goto(f"{api.address}/console/{COURSE}/people")
            expect(other.get_by_test_id("invitation").locator("time")).to_contain_text(
                coming.astimezone(ZoneInfo("Asia/Shanghai")).strftime("%b %-d, %Y") if scripts else "UTC"
            )
            other.close()
            asked = page.locator("fieldset time").first
            expect(asked).to_contain_text("Mar 2, 2024" if scripts else "2024-03-01 20:30 UTC")
