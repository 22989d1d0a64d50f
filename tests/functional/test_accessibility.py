"""Every page of students and instructors under axe-core, in both languages, light and dark (WCAG 2.2 AA)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_core import AXE, RUN
from chromium import Chromium, ask, unfold
from console_people import PASSWORD, account
from console_tour import Tour
from fastapi.routing import iter_route_contexts
from playwright.sync_api import Page, expect
from served_platform import Serve, Served
from small_platform import COURSES

from services.console_routes import router as console_router
from services.lti.platform_store import LtiContext
from services.people.store import PlatformRole
from services.wiring import Platform
from vta.languages import Language
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

QUESTIONS = {"stacks-en": "What is a stack?", "stacks-zh": "什么是栈？"}
WAITING = {"stacks-en": "Will the final exam cover undo stacks?", "stacks-zh": "期末考试会考食谱吗？"}
EXERCISES = {
    "stacks-en": "# Stacks\n\n## Exercises\n\nWhat leaves a stack first?\n\nWhich end of a stack grows?\n",
    "stacks-zh": "# 栈\n\n## 练习\n\n后进的元素什么时候离开栈？\n\n栈在哪一端插入和删除元素？\n",
}

DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
"""The scripts of a page have seen its new width."""
ON_A_PHONE = ["scrollable-region-focusable", "target-size"]
SCHEMES: dict[Language, Literal["light", "dark"]] = {Language.EN: "light", Language.ZH: "dark"}
NO_PAGES = (
    "/static/{name}", "/language/{language}", "/csv", "/export", "/picture", "/state", "/text", "/console",
    "/school", "/school/back",
)  # fmt: skip
"""What a GET in the console can give that is no page."""

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core, as `make test` brings it from npm; VTA_TEST_AXE names another place."""
    script = Path(os.environ.get("VTA_TEST_AXE", AXE))
    if not script.exists():
        pytest.skip(
            f"accessibility not proven: {script} is absent; `make test` brings it where npm is installed"
        )
    return script.read_text(encoding="utf-8")


@pytest.fixture
def check(request: pytest.FixtureRequest, browser_page: Page, axe: str) -> Callable[[], None]:
    """Asserts that the page now has no serious violation: English in light colours, Chinese in dark."""
    language = COURSES[request.node.callspec.params["course"]][0].language
    browser_page.emulate_media(color_scheme=SCHEMES[language], reduced_motion="reduce")

    def run() -> None:
        browser_page.evaluate(axe)
        assert browser_page.evaluate(RUN) == [], browser_page.url

    return run


def test_a_fault_would_be_found(browser_page: Page, axe: str) -> None:
    """A picture without a text, a field without a label and grey on grey are all reported."""
    browser_page.set_content(
        '<html lang="en"><title>t</title><main><h1>h</h1><img src="data:,"><input>'
        '<p style="color: #999; background: #aaa">grey</p></main>'
    )
    browser_page.evaluate(axe)
    found = {fault.split(":")[0] for fault in browser_page.evaluate(RUN)}
    assert found == {"image-alt", "label", "color-contrast"}


@pytest.mark.parametrize("course", QUESTIONS)
@pytest.mark.parametrize("address", ["/courses/{}", "/embed/{}"])
def test_the_sidebar_has_no_serious_fault(
    serve: Serve, browser_page: Page, check: Callable[[], None], course: str, address: str
) -> None:
    """Empty, with an answer and all that opens on it, while a TA is waited for, and with the TA's answer."""
    api, page = serve(), browser_page
    page.goto(api.address + address.format(course))
    page.get_by_test_id("welcome").wait_for()
    check()
    ask(page, QUESTIONS[course])
    unfold(page, "concepts")
    page.get_by_test_id("concept-chip").first.click()
    page.get_by_test_id("learning-path").wait_for()
    page.get_by_test_id("thumb-down").click()
    expect(page.get_by_test_id("excerpt-more")).to_be_visible()
    unfold(page, "citations")
    page.get_by_test_id("citation").first.click()
    check()
    page.keyboard.press("Escape")
    ask(page, WAITING[course])
    page.get_by_test_id("ask-ta").last.click()
    page.get_by_test_id("ta-status").wait_for()
    check()
    (waiting,) = api.platform.stores.asked.all_questions(CourseId(course))
    draft = FaqDraft(question=waiting.question, answer="**1** [x](https://a.example) `y`")
    api.platform.stores.ta_queue.answer(CourseId(course), [waiting.id], draft, editor="Ann")
    page.reload()
    page.get_by_test_id("ta-notice-item").wait_for()
    check()


@pytest.mark.parametrize("course", QUESTIONS)
def test_practice_by_keyboard_on_a_phone_has_no_serious_fault(
    serve: Serve, browser_page: Page, check: Callable[[], None], course: str
) -> None:
    """Exercise, attempt, hint, another exercise; it goes on after a reload, and ends by the switch."""
    stacks, files = COURSES[course]
    api, page = serve({course: (stacks, {**files, "notes/exercises.md": EXERCISES[course]})}), browser_page
    page.set_viewport_size({"width": 390, "height": 844})
    sent = list[Any]()
    page.on("request", lambda each: sent.append(each.post_data_json) if "/dialogue" in each.url else None)
    page.goto(f"{api.address}/embed/{course}")
    switch, answers = page.get_by_test_id("practise"), page.get_by_test_id("answer-html")
    page.get_by_test_id("welcome").wait_for()
    switch.press("Enter")
    expect(answers).to_contain_text("What leaves" if course == "stacks-en" else "后进的")
    check()
    ask(page, "12")
    page.get_by_test_id("offer").first.press("Enter")
    expect(answers).to_have_count(3)
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("offer").last.press("Enter")
    expect(answers.last).to_contain_text("Which end" if course == "stacks-en" else "哪一端")
    check()
    switch.press("Enter")
    expect(page.get_by_test_id("offer")).to_have_count(0)
    ask(page, QUESTIONS[course])
    page.get_by_test_id("question-input").fill("stack" if course == "stacks-en" else "栈")
    switch.press("Enter")
    expect(answers).to_have_count(6)
    expect(page.get_by_test_id("question-input")).to_have_value("")
    assert [body.get("mode") for body in sent] == [*["practice"] * 4, None, "practice"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("course", QUESTIONS)
def test_the_course_page_has_no_serious_fault(
    serve: Serve, browser_page: Page, check: Callable[[], None], course: str
) -> None:
    """The contents, a document with code and a table, a cited place, earlier chats, a search; on a phone."""
    stacks, files = COURSES[course]
    code = "# n\ndef push(s):\n    s.append(print('x', 1))\n" + "push(1); " * 40
    rows = f"| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\n{code}\n```\n"
    api, page = serve({course: (stacks, {**files, "notes/table.md": f"# Table\n\n{rows}"})}), browser_page
    page.goto(f"{api.address}/courses/{course}")
    page.get_by_test_id("contents").wait_for()
    page.locator(".contents summary").first.click()
    check()
    page.goto(f"{api.address}/courses/{course}/pages/notes/table.md")
    page.get_by_test_id("page-question").first.wait_for()
    for kind in ("comment", "keyword", "string", "number", "name"):
        page.locator(f".code-{kind}").first.wait_for()
    check()
    ask(page, QUESTIONS[course])
    unfold(page, "citations")
    page.get_by_test_id("citation").last.click()
    page.locator("[data-here]").wait_for()
    page.get_by_test_id("history").click()
    page.get_by_test_id("history-open").wait_for()
    check()
    page.get_by_test_id("search").fill("stack 栈")
    page.get_by_test_id("search").press("Enter")
    page.get_by_test_id("hit").first.wait_for()
    check()
    page.set_viewport_size(PHONE)
    check()


@pytest.mark.parametrize("language", Language)
def test_the_console_has_no_serious_fault(
    sample_courses: Served, browser_page: Page, axe: str, language: Language
) -> None:
    """Every page in every state, and on a phone, where nothing is wider than the screen.

    English is light, Chinese dark. A page without a stop in `console_tour` fails the test.
    """
    page, platform = browser_page, sample_courses.platform
    page.emulate_media(color_scheme=SCHEMES[language], reduced_motion="reduce")
    tour = Tour(platform=platform, page=page, address=sample_courses.address, language=language)
    pages = [
        route
        for route in iter_route_contexts(console_router.routes)
        if route.methods and "GET" in route.methods and not route.path.endswith(NO_PAGES)
    ]
    faults, visited = list[str](), set[str]()
    for stop in tour.stops():
        page.wait_for_load_state()
        path = urlsplit(page.url).path
        visited |= {route.path for route in pages if route.path_regex.fullmatch(path)}
        page.evaluate(axe)
        found = page.evaluate(RUN)
        page.set_viewport_size(PHONE)
        page.evaluate(DRAWN)
        found += [f"phone: {fault}" for fault in page.evaluate(RUN, ON_A_PHONE)]
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        found += [f"phone: {wide} px too wide"] if wide > 0 else []
        if page.locator("html").get_attribute("lang") != language:
            found.append("not in this language")
        page.set_viewport_size(DESKTOP)
        faults += [f"{stop}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)
    assert visited == {route.path for route in pages}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_pages_of_lti_have_no_serious_fault(
    serve: Serve, chromium: Chromium, axe: str, language: str
) -> None:
    """What to enter by hand, the console's page with a platform and a mapping: light, dark, on a phone."""
    api = serve(lti_private_addresses=True)
    account(api.platform, "root", role=PlatformRole.ADMIN)
    add_platform(api.platform)
    with chromium.use() as started:
        for colours in ("light", "dark"):
            page = started.new_context(locale=language, color_scheme=colours).new_page()
            page.goto(f"{api.address}/lti/register?invite=x&openid_configuration=y")
            page.evaluate(axe)
            assert page.evaluate(RUN) == [], page.url
            page.goto(f"{api.address}/console/log-in?next=/console/-/platform-lti")
            page.get_by_test_id("email").fill("root@uni.example")
            page.get_by_test_id("password").fill(PASSWORD)
            page.get_by_test_id("log-in-account").click()
            with page.expect_navigation():
                page.get_by_test_id("make-link").click()
            page.get_by_test_id("new-link").wait_for()
            page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
            page.evaluate(axe)
            assert page.evaluate(RUN) == [], page.url
            page.set_viewport_size({"width": 360, "height": 740})
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            assert page.evaluate(RUN, ON_A_PHONE) == [], page.url


def add_platform(platform: Platform) -> None:
    """A platform with long addresses, a mapped course and a shared one."""
    known = platform.stores.lti_platforms.add(
        issuer="https://learning.university.example.org",
        client_id="KnY8kPqj4hFd3Zw",
        login_url="https://learning.university.example.org/mod/lti/auth.php",
        jwks_url="https://learning.university.example.org/mod/lti/certs.php",
        origins=("https://learning.university.example.org",),
        deployments=("3",),
    )
    context = LtiContext(platform_id=known.id, deployment_id="3", context_id="117")
    platform.stores.lti_platforms.map(context, CourseId("stacks-en"))
    platform.stores.lti_shared_courses.share(known.id, CourseId("stacks-zh"))
