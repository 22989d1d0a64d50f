"""The loop between students and a real TA, in a real browser, from the question to the notice."""

from __future__ import annotations

import re

import pytest
from chromium import ask
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types.courses import CourseId
from vta.types.facts import CourseFacts, Fact, FactKind
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
QUESTION = "Will the final exam cover undo stacks?"
POLL_MS = 21_000

pytestmark = pytest.mark.browser


def ask_the_ta(api: Served, page: Page) -> None:
    """A student's question that waits for a real TA; time in the page stands under our command."""
    page.clock.install()
    page.goto(f"{api.address}/courses/{COURSE}")
    ask(page, QUESTION)
    page.get_by_test_id("ask-ta").click()
    expect(page.get_by_test_id("ta-status")).to_be_visible()


def test_whoever_asks_a_real_ta_is_told_the_next_office_hour(api: Served, browser_page: Page) -> None:
    """With its place, at the student's own clock, in the line that says that the question was sent."""
    fact = Fact(id="o", kind=FactKind.OFFICE_HOUR, name="Help", begins="2098-06-03T14:00", place="Room 12")
    api.platform.stores.facts.change(COURSE, lambda _: CourseFacts(time_zone="Asia/Tokyo", facts=(fact,)))
    browser_page.goto(f"{api.address}/courses/{COURSE}")
    ask(browser_page, QUESTION)
    browser_page.get_by_test_id("ask-ta").click()
    told = r"here\. Next office hour: .*3 June.*, Room 12\.$"
    expect(browser_page.get_by_test_id("ta-status")).to_have_text(re.compile(told))


def publish(api: Served, answer: str) -> None:
    """What the console does when an instructor publishes."""
    (waiting,) = api.platform.stores.asked.all_questions(COURSE, "waiting")
    draft = FaqDraft(question=QUESTION, answer=answer)
    api.platform.stores.ta_queue.answer(COURSE, [waiting.id], draft, editor="Ann")


def test_a_student_asks_a_real_ta_and_is_told_of_the_answer(api: Served, browser_page: Page) -> None:
    """Asked, answered in the console, told in the sidebar; the next student has it at once."""
    student = browser_page
    ask_the_ta(api, student)
    browser = student.context.browser
    assert browser is not None
    console = browser.new_page()
    open_console(api, console)
    console.get_by_test_id("answer").click()
    console.get_by_test_id("answer-text").fill("**Yes**, chapter 4.")

    console.get_by_test_id("publish").click()
    expect(console.get_by_test_id("group")).to_have_count(0)
    reply = api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": QUESTION}).json()
    assert (reply["route"], reply["text"][:19]) == ("direct", "**Yes**, chapter 4.")

    notice = student.get_by_test_id("ta-notice")
    expect(student.get_by_test_id("ta-notice-item")).to_have_count(0)
    student.clock.fast_forward(POLL_MS)
    expect(student.get_by_test_id("ta-notice-question")).to_have_text(QUESTION)
    assert notice.get_attribute("aria-live") == "polite"
    expect(notice.locator("strong", has_text="Yes")).to_be_visible()
    expect(student.get_by_test_id("ta-answer")).to_contain_text("Yes, chapter 4.")
    expect(student.get_by_test_id("ta-status")).to_have_count(0)


def test_the_notice_is_there_after_a_reload_until_it_was_seen(api: Served, browser_page: Page) -> None:
    """Reload tells again; after "Got it" only the answer under the question stays."""
    ask_the_ta(api, browser_page)
    publish(api, "Yes, chapter 4.")
    for _ in range(2):
        browser_page.reload()
        expect(browser_page.get_by_test_id("ta-notice-answer")).to_have_text("Yes, chapter 4.")
    with browser_page.expect_response("**/ta-answers/seen"):
        browser_page.get_by_test_id("ta-notice-seen").press("Enter")
    expect(browser_page.get_by_test_id("ta-notice-item")).to_have_count(0)
    expect(browser_page.get_by_test_id("log")).to_be_focused()
    browser_page.reload()
    expect(browser_page.get_by_test_id("ta-answer")).to_contain_text("Yes, chapter 4.")
    expect(browser_page.get_by_test_id("ta-notice-item")).to_have_count(0)


def test_whoever_comes_back_to_the_page_is_told_at_once(api: Served, browser_page: Page) -> None:
    """Focus looks without waiting, also for a question of an earlier conversation."""
    ask_the_ta(api, browser_page)
    browser_page.get_by_test_id("new-conversation").click()
    publish(api, "Yes, chapter 4.")
    browser_page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(browser_page.get_by_test_id("ta-notice-answer")).to_have_text("Yes, chapter 4.")
    browser_page.reload()
    with browser_page.expect_response("**/ta-answers/seen"):
        browser_page.get_by_test_id("ta-notice-seen").click()
    browser_page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(browser_page.get_by_test_id("ta-notice-item")).to_have_count(0)


def test_whoever_closed_the_tab_is_told_in_another_one(api: Served, browser_page: Page) -> None:
    """At the button of the history, in its list and above the conversation, until it was seen."""
    ask_the_ta(api, browser_page)
    context = browser_page.context
    browser_page.close()
    publish(api, "Yes, chapter 4.")
    for is_new in (True, False):
        back = context.new_page()
        back.goto(f"{api.address}/courses/{COURSE}")
        expect(back.get_by_test_id("welcome")).to_be_visible()
        expect(back.get_by_test_id("ta-notice-answer")).to_have_count(int(is_new))
        expect(back.get_by_test_id("history-new")).to_be_visible(visible=is_new)
        back.get_by_test_id("history").click()
        expect(back.get_by_test_id("history-open")).to_have_count(1)
        expect(back.get_by_test_id("history-answered")).to_have_count(int(is_new))
        if is_new:
            with back.expect_response("**/ta-answers/seen"):
                back.get_by_test_id("ta-notice-seen").click()
            expect(back.get_by_test_id("history-new")).to_be_hidden()
        back.close()


def test_a_learner_who_is_signed_in_is_told_on_another_device(api: Served, browser_page: Page) -> None:
    """By the server's list, in a browser that knows nothing of the question."""
    client, base = api.client, f"/v1/courses/{COURSE}"
    token = api.learner("amy")
    _, turn = api.ask_ta(QUESTION, headers=token)
    publish(api, "Yes, chapter 4.")
    (listed,) = client.get(f"{base}/sessions", headers=token).json()["sessions"]
    assert listed["ta_turns"] == [turn["turn_id"]]
    browser_page.route(
        f"**{base}/**",
        lambda route: route.continue_(
            headers={**route.request.headers, "authorization": token["Authorization"]}
        ),
    )
    browser_page.goto(f"{api.address}/courses/{COURSE}")
    expect(browser_page.get_by_test_id("ta-notice-answer")).to_have_text("Yes, chapter 4.")
    expect(browser_page.get_by_test_id("history-new")).to_have_text("1")
    with browser_page.expect_response("**/ta-answers/seen"):
        browser_page.get_by_test_id("ta-notice-seen").click()
    (listed,) = client.get(f"{base}/sessions", headers=token).json()["sessions"]
    assert listed["ta_turns"] == []


def test_nobody_is_asked_while_nothing_waits(api: Served, browser_page: Page) -> None:
    """A student who asked no TA costs the server no polling."""
    polls: list[str] = []
    browser_page.on("request", lambda r: polls.append(r.url) if r.url.endswith("/ta-answers") else None)
    browser_page.clock.install()
    browser_page.goto(f"{api.address}/courses/{COURSE}")
    ask(browser_page, QUESTION)
    browser_page.clock.fast_forward(10 * POLL_MS)
    browser_page.evaluate("window.dispatchEvent(new Event('focus'))")
    assert polls == []


def test_a_student_answers_what_a_ta_asked_back(api: Served, browser_page: Page) -> None:
    """A box below it takes the reply; then the question waits again, and what the TA says next is told."""
    student, stores = browser_page, api.platform.stores
    ask_the_ta(api, student)
    (waiting,) = stores.asked.all_questions(COURSE, "waiting")
    stores.threads.reply(COURSE, [waiting.id], "Which editor?", author="Ann", asks_back=True)
    student.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(student.get_by_test_id("ta-notice-answer")).to_have_text("Which editor?")
    with student.expect_response("**/ta-answers/seen"):
        student.get_by_test_id("ta-notice-seen").click()
    expect(student.get_by_test_id("ta-answer")).to_contain_text("A real TA has a question for you")
    student.reload()
    student.get_by_test_id("ta-reply").fill("Vim.")
    student.get_by_test_id("ta-reply-send").click()
    expect(student.get_by_test_id("ta-status")).to_be_focused()
    assert [each.text for each in stores.threads.messages(COURSE, [waiting.id])[waiting.id]] == [
        "Which editor?",
        "Vim.",
    ]
    stores.threads.reply(COURSE, [waiting.id], "Then yes.", author="Ann", asks_back=False)
    student.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(student.get_by_test_id("ta-notice-answer")).to_have_text("Then yes.")
    expect(student.get_by_test_id("ta-answer")).to_contain_text("to you alone")
