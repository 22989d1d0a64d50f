"""The console in a real browser: two editors of one entry, and pages that would write in its name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types import CourseId, FaqDraft, FaqEntry, Role

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"

pytestmark = pytest.mark.browser


@pytest.fixture
def entry(api: Served) -> FaqEntry:
    draft = FaqDraft(question="When is the quiz?", answer="On Friday.")
    (made,) = api.platform.stores.faq.add(COURSE, [draft], editor="Ann")
    return made


@pytest.fixture
def new_tab(browser_page: Page) -> Callable[[], Page]:
    """Opens pages of people who share nothing with one another."""
    browser = browser_page.context.browser
    assert browser is not None
    return lambda: browser.new_context(locale="en").new_page()


@pytest.fixture
def foreign() -> Iterator[Any]:
    """A page on another origin of the same site, to which the browser sends even strict cookies."""

    class Handler(BaseHTTPRequestHandler):
        html = ""

        def do_GET(self) -> None:
            body = self.html.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    Handler.address = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    yield Handler
    server.shutdown()
    server.server_close()
    thread.join(10)


def log_in(api: Served, page: Page, name: str) -> None:
    key, _ = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{api.address}{HOME}/inbox")
    page.get_by_test_id("key").fill(key)
    page.get_by_test_id("name").fill(name)
    page.get_by_test_id("log-in").click()
    expect(page.get_by_test_id("nav-inbox")).to_be_visible()


def answers(api: Served, entry: FaqEntry) -> list[tuple[str, str]]:
    return [(each.editor, each.draft.answer) for each in api.platform.stores.faq.history(COURSE, entry.id)]


def test_the_second_of_two_editors_sees_both_versions(
    api: Served, entry: FaqEntry, browser_page: Page, new_tab: Callable[[], Page]
) -> None:
    """What was saved meanwhile stands beside what they wrote; saving again makes a further version."""
    ann, bo = browser_page, new_tab()
    for page, name in ((ann, "Ann"), (bo, "Bo")):
        log_in(api, page, name)
        page.goto(f"{api.address}{HOME}/faq/{entry.id}")
    ann.get_by_test_id("answer-text").fill("On Monday.")
    ann.get_by_test_id("save").click()
    expect(ann.get_by_test_id("saved")).to_be_visible()
    bo.get_by_test_id("answer-text").fill("On Sunday.")
    bo.get_by_test_id("save").click()
    expect(bo.get_by_test_id("conflict")).to_be_visible()
    expect(bo.get_by_test_id("theirs")).to_contain_text("On Monday.")
    expect(bo.get_by_test_id("theirs")).to_contain_text("Ann")
    expect(bo.get_by_test_id("yours").get_by_test_id("answer-text")).to_have_value("On Sunday.")
    assert answers(api, entry)[-1] == ("Ann", "On Monday.")
    bo.get_by_test_id("save").click()
    expect(bo.get_by_test_id("saved")).to_be_visible()
    assert answers(api, entry) == [("Ann", "On Friday."), ("Ann", "On Monday."), ("Bo", "On Sunday.")]


def test_a_page_of_another_origin_cannot_write(
    api: Served, entry: FaqEntry, browser_page: Page, foreign: Any
) -> None:
    """Its form is refused though the browser sends the cookie and it knows the CSRF token (T24)."""
    log_in(api, browser_page, "Ann")
    address = f"{api.address}{HOME}/faq/{entry.id}"
    browser_page.goto(address)
    csrf = browser_page.locator("[name=csrf]").first.get_attribute("value")
    fields = {"csrf": csrf, "version": "1", "question": "Q", "answer": "Forged", "action": "save"}
    inputs = "".join(f'<input name="{name}" value="{escape(str(value))}">' for name, value in fields.items())
    foreign.html = f'<!doctype html><form method="post" action="{address}">{inputs}<button>go</button></form>'
    browser_page.goto(foreign.address)
    with browser_page.expect_response(address) as refused:
        browser_page.get_by_role("button").click()
    assert refused.value.status == 403
    assert answers(api, entry) == [("Ann", "On Friday.")]


def test_a_form_without_its_token_is_refused(api: Served, entry: FaqEntry, browser_page: Page) -> None:
    """Also from our own page; nothing is saved."""
    log_in(api, browser_page, "Ann")
    address = f"{api.address}{HOME}/faq/{entry.id}"
    browser_page.goto(address)
    browser_page.evaluate("for (const each of document.querySelectorAll('[name=csrf]')) each.value = 'x';")
    browser_page.get_by_test_id("answer-text").fill("Forged")
    with browser_page.expect_response(address) as refused:
        browser_page.get_by_test_id("save").click()
    assert refused.value.status == 403
    assert answers(api, entry) == [("Ann", "On Friday.")]


def test_the_console_is_in_nobodys_frame(api: Served, browser_page: Page, foreign: Any) -> None:
    """Not even in one of its own site, so nobody can be led to press its buttons unseen."""
    log_in(api, browser_page, "Ann")
    foreign.html = f'<!doctype html><iframe src="{api.address}{HOME}/inbox"></iframe>'
    browser_page.goto(foreign.address)
    (frame,) = browser_page.frames[1:]
    frame.wait_for_load_state()
    assert frame.locator("[data-testid=nav-inbox]").count() == 0


def test_an_import_says_that_it_is_under_way(api: Served, browser_page: Page) -> None:
    """From the click on; a second click sends nothing."""
    log_in(api, browser_page, "Ann")
    browser_page.goto(f"{api.address}{HOME}/faq/import")
    rows = b"question,answer\nWhen is it?,On Friday.\n"
    browser_page.locator("[name=table]").set_input_files([{"name": "f.csv", "mimeType": "", "buffer": rows}])
    browser_page.get_by_test_id("try").click()
    browser_page.evaluate(
        """() => {
          window.sent = 0;
          document.addEventListener("submit", (event) => {
            if (!event.defaultPrevented) window.sent += 1;
            event.preventDefault(); // stay on the page
          });
        }"""
    )
    expect(browser_page.get_by_test_id("importing")).to_be_hidden()
    for _ in range(2):
        browser_page.get_by_test_id("confirm").click()
        expect(browser_page.get_by_test_id("importing")).to_be_visible()
    assert browser_page.evaluate("window.sent") == 1
