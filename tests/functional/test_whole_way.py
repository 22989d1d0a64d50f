"""One question on its whole way: two browsers of a student, a TA's mail, a private reply, another student."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import lti_platform as lti
import pytest
from chromium import Chromium
from joserfc.jwk import RSAKey
from playwright.sync_api import Browser, Page, expect
from served_platform import Serve, Served
from smtp_server import SmtpServer
from sqlalchemy import update

from services.storage import tables
from services.storage.lti_platforms import LtiContext
from vta.types import CourseId, Role

COURSE = CourseId("stacks-en")
ROOT = f"/v1/courses/{COURSE}"
QUESTION = "Will the final exam cover undo stacks?"
PRIVATE = "Since you were ill: in the second week of March."

pytestmark = pytest.mark.browser


@pytest.fixture
def mail() -> Iterator[SmtpServer]:
    with SmtpServer() as server:
        yield server


@pytest.fixture
def api(serve: Serve, mail: SmtpServer) -> Served:
    url = f"smtp://vta:pass@127.0.0.1:{mail.port}"
    return serve(smtp_url=url, mail_from="VTA <vta@uni.example>", public_url="https://vta.example")


def bearer(api: Served, role: Role) -> dict[str, str]:
    key, _ = api.platform.stores.keys.make(COURSE, role)
    return {"Authorization": f"Bearer {key}"}


def open_as(api: Served, browser: Browser, learner: str) -> Page:
    """The course page in a browser of its own, with a learner's token."""
    headers = bearer(api, Role.PLATFORM)
    token = api.client.post(f"{ROOT}/visitors", json={"learner_id": learner}, headers=headers).json()["token"]
    context = browser.new_context(extra_http_headers={"Authorization": f"Bearer {token}"}, locale="en")
    page = context.new_page()
    page.goto(f"{api.address}/courses/{COURSE}")
    return page


def ask(page: Page, question: str) -> None:
    answers = page.get_by_test_id("answer-html")
    before = answers.count()
    page.get_by_test_id("question-input").fill(question)
    page.get_by_test_id("question-input").press("Enter")
    expect(answers).to_have_count(before + 1, timeout=15_000)


def the_mail(api: Served, mail: SmtpServer) -> str:
    """The text of the next notice, which is due now."""
    now = datetime.now(UTC)
    due = {"next_at": now - timedelta(seconds=1), "told_until": now - timedelta(hours=1)}
    with api.platform.stores.engine.begin() as connection:
        connection.execute(update(tables.course_notices).values(due))
        connection.execute(update(tables.waiting_questions).values(created_at=now - timedelta(minutes=1)))
    assert api.platform.postman.send_due() == 1
    return str(mail.next().message.get_content())


def test_a_question_goes_on_in_a_second_browser_and_its_private_reply_stays_private(
    api: Served, mail: SmtpServer, chromium: Chromium
) -> None:
    """Asked in one browser, mailed to a TA, answered to one alone, read in another; no one else is told."""
    notices = {"recipients": ["ann@uni.example"], "pace": "at_once"}
    api.client.put(f"{ROOT}/settings/notices", json=notices, headers=bearer(api, Role.INSTRUCTOR))
    with chromium.use() as browser:
        first = open_as(api, browser, "mia")
        ask(first, QUESTION)
        first.get_by_test_id("ask-ta").click()
        expect(first.get_by_test_id("ta-status")).to_be_visible()
        first.context.close()

        text = the_mail(api, mail)
        assert QUESTION in text
        link = re.search(r"https://vta\.example(/console/\S+)", text)
        assert link is not None
        console = browser.new_context(locale="en").new_page()
        console.goto(f"{api.address}{link[1]}")
        key = bearer(api, Role.INSTRUCTOR)["Authorization"].removeprefix("Bearer ")
        console.get_by_test_id("key").fill(key)
        console.get_by_test_id("log-in").click()
        console.get_by_test_id("answer").click()
        console.get_by_test_id("private").fill(PRIVATE)
        console.get_by_test_id("reply").click()
        expect(console.get_by_test_id("settled")).to_be_visible()

        second = open_as(api, browser, "mia")
        second.get_by_test_id("history").click()
        second.get_by_test_id("history-open").filter(has_text=QUESTION).click()
        expect(second.get_by_test_id("question")).to_have_text([QUESTION])
        expect(second.get_by_test_id("ta-answer")).to_contain_text(PRIVATE)
        expect(second.get_by_test_id("ta-answer")).to_contain_text("to you alone")

        other = open_as(api, browser, "noah")
        ask(other, QUESTION)
        expect(other.get_by_test_id("ask-ta")).to_be_visible()
        other.get_by_test_id("history").click()
        expect(other.get_by_test_id("history-open")).to_have_count(1)
        assert "March" not in other.content() + other.get_by_test_id("log").inner_text()


def test_a_launched_learner_finds_every_conversation_in_a_second_browser(
    serve: Serve, chromium: Chromium
) -> None:
    """The launch says who they are, in any browser; the list has what was asked in the other."""
    api = serve(lti_private_addresses=True)
    with lti.LtiTestPlatform(key=RSAKey.generate_key(2048, {"kid": "key-1"})) as platform:
        platform.tool = api.address
        known = api.platform.stores.lti_platforms.add(**platform.registration)
        context = LtiContext(platform_id=known.id, deployment_id=lti.DEPLOYMENT, context_id=lti.CONTEXT)
        api.platform.stores.lti_platforms.map(context, COURSE)
        with chromium.use() as browser:
            for asked in (["What is a stack?", "What is a queue?"], []):
                page = browser.new_context(locale="en").new_page()
                page.goto(f"{platform.address}/course")
                frame = page.frame_locator("#tool")
                for question in asked:
                    frame.get_by_test_id("new-conversation").click()
                    frame.get_by_test_id("question-input").fill(question)
                    frame.get_by_test_id("send").click()
                    expect(frame.get_by_test_id("copy")).to_be_visible(timeout=20_000)  # the answer is stored
            frame.get_by_test_id("history").click()
            past = frame.get_by_test_id("history-open").locator(".title")
            expect(past).to_have_text(["What is a queue?", "What is a stack?"])
