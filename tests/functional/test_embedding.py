"""The sidebar on another site's page, in a real browser: two servers, a loader, a frame and messages."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from chromium import ask
from local_http import Asked, LocalHttp
from playwright.sync_api import Frame, Page, expect
from served_platform import Served

from services.rendering.templates import static_files
from vta.types.courses import CourseId, Role
from vta.types.faq import FaqDraft
from vta.types.inbox import QuestionState

COURSE = CourseId("stacks-en")
LARGEST_LOADER = 5_000
POLICY = "default-src 'self'; script-src 'self' {vta}; frame-src {vta}; style-src 'self'; connect-src 'self'"

pytestmark = pytest.mark.settings(open_sidebar=False)


@dataclass
class Host(LocalHttp):
    """A page of a platform on an origin of its own; `tokens` are handed out in order at /token."""

    html: str = ""
    policy: str = ""
    tokens: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def answer(self, request: Asked) -> None:
        self.asked.append(request.path)
        kind, content = "text/html; charset=utf-8", self.html
        if request.path == "/token":
            kind, content = "application/json", json.dumps({"token": self.tokens.pop(0)})
        request.reply(content, kind, content_security_policy=self.policy)


@pytest.fixture
def host(api: Served) -> Iterator[Host]:
    """A platform's page that embeds the course, and whose origin the course allows."""
    with Host() as host:
        host.policy = POLICY.format(vta=api.address)
        host.html = (
            f'<!doctype html><html lang="en"><title>Lecture</title><link rel="icon" href="data:,">'
            f'<script async src="{api.address}/embed.js"></script><h1>Lecture 3</h1>'
            f'<vta-assistant course="{COURSE}" token-url="/token" unit="u3" video="01.mp4" second="7"'
            """ suggestions='["What is a queue?"]'>"""
            f"</vta-assistant></html>"
        )
        host.tokens = [api.learner("ann")["Authorization"][7:] for _ in range(4)]
        api.platform.stores.settings.change(COURSE, lambda found: replace(found, origins=(host.address,)))
        yield host


def open_assistant(page: Page, host: Host) -> Frame:
    """The frame of the opened assistant, ready for a question."""
    page.goto(host.address)
    page.get_by_role("button", name="Teaching assistant").click()
    first = page.frame_locator("iframe").get_by_test_id("suggestion")
    expect(first).to_have_text(["What is a queue?"])
    (frame,) = (frame for frame in page.frames if "/embed/" in frame.url)
    return frame


def test_the_loader_is_small() -> None:
    """At most 5 kB gzipped."""
    assert len(gzip.compress(static_files("services.sidebar")["embed.js"].read_bytes())) <= LARGEST_LOADER


@pytest.mark.browser
def test_nothing_but_the_loader_is_fetched_before_it_opens(
    api: Served, host: Host, browser_page: Page
) -> None:
    """For whom no answer can have come, the page's own paint is not slowed; the largest paint is its own."""
    host.html = host.html.replace('token-url="/token"', "")
    fetched: list[str] = []
    browser_page.on("request", lambda request: fetched.append(request.url))
    browser_page.goto(host.address)
    browser_page.get_by_role("button", name="Teaching assistant").wait_for()
    browser_page.wait_for_load_state("networkidle")
    assert [url for url in fetched if not url.startswith("data:")] == [
        f"{host.address}/",
        f"{api.address}/embed.js",
    ]
    largest = browser_page.evaluate(
        """() => new Promise((tell) => new PerformanceObserver((list) =>
             tell(list.getEntries().at(-1).element?.localName))
           .observe({ type: "largest-contentful-paint", buffered: true }))"""
    )
    assert largest == "h1"


@pytest.mark.browser
def test_a_learner_asks_on_the_platforms_page(api: Served, host: Host, browser_page: Page) -> None:
    """With a token, at the place in the video; history after a reload; a citation sends the player there."""
    frame = open_assistant(browser_page, host)
    browser_page.evaluate(
        """() => {
          window.heard = [];
          for (const name of ["vta-seek", "vta-state"])
            document.addEventListener(name, ({ type, detail }) => window.heard.push([type, detail]));
          document.querySelector("vta-assistant").setAttribute("second", "61");
        }"""
    )
    with browser_page.expect_request("**/dialogue") as sent:
        ask(frame, "What is a stack?")
    body = sent.value.post_data_json
    assert body["position"] == {"unit": "u3", "video": "01.mp4", "second": 61}
    session = body["session_id"]
    assert session is None
    states = browser_page.evaluate("window.heard")
    assert states[-1][0] == "vta-state"
    assert states[-1][1]["height"] > 100
    frame.evaluate(
        """document.querySelector("vta-sidebar").dispatchEvent(
             new CustomEvent("vta-seek", { detail: { video: "02.mp4", start_s: 5 } }))"""
    )
    browser_page.wait_for_function("window.heard.some(([type]) => type === 'vta-seek')")
    assert ["vta-seek", {"video": "02.mp4", "second": 5}] in browser_page.evaluate("window.heard")

    browser_page.reload()
    browser_page.get_by_role("button", name="Teaching assistant").click()
    shown = browser_page.frame_locator("iframe").get_by_test_id("question")
    expect(shown).to_have_text(["What is a stack?"])


def wait_for_flag(page: Page, *, there: bool) -> None:
    """Until the page remembers, or has forgotten, that a question waits; its policy lets no script poll."""
    for _ in range(300):
        if bool(page.evaluate(f"localStorage.getItem('vta-waiting:{COURSE}')")) is there:
            return
        page.wait_for_timeout(100)
    pytest.fail("the page was not told")


@pytest.mark.browser
@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "Teaching assistant: 1 new answer from a real TA"), ("zh", "课程助教: 真人助教的新回复：1")],
)
def test_the_button_of_any_device_says_that_a_real_ta_answered(
    api: Served, host: Host, browser_page: Page, language: str, told: str
) -> None:
    """Asked on one device, told on another at the button before anything is opened, until it was seen."""
    host.html = host.html.replace("<vta-assistant", f'<vta-assistant lang="{language}"')
    turn = api.ask("Will the exam cover undo stacks?", headers=api.learner("ann"))
    stores = api.platform.stores
    stores.asked.ask_ta(COURSE, turn["turn_id"])
    (waiting,) = stores.asked.all_questions(COURSE, QuestionState.WAITING)
    browser_page.set_viewport_size({"width": 390, "height": 740})
    browser_page.goto(host.address)
    button = browser_page.locator("vta-assistant button")
    wait_for_flag(browser_page, there=True)  # the sidebar has looked
    draft = FaqDraft(question=waiting.question, answer="Yes, chapter 4.")
    stores.ta_queue.answer(COURSE, [waiting.id], draft, editor="Ann")
    browser_page.reload()
    expect(button).to_have_attribute("aria-label", told)
    expect(button.locator("span")).to_have_text("1")
    expect(browser_page.locator("iframe")).to_be_hidden()
    button.press("Enter")
    frame = browser_page.frame_locator("iframe")
    with browser_page.expect_response("**/ta-answers/seen"):
        frame.get_by_test_id("ta-notice-seen").click()
    button.press("Enter")
    expect(button.locator("span")).to_have_count(0)
    assert button.get_attribute("aria-label") is None
    wait_for_flag(browser_page, there=False)
    browser_page.reload()
    button.wait_for()
    browser_page.wait_for_load_state("networkidle")
    expect(browser_page.locator("iframe")).to_have_count(0)  # nothing waits any more: one look a visit


@pytest.mark.browser
def test_an_expired_token_is_renewed_by_the_platform(api: Served, host: Host, browser_page: Page) -> None:
    """A refused token is asked for anew, once, and the student notices nothing."""
    host.tokens.insert(0, "expired.or.forged")
    ask(open_assistant(browser_page, host), "What is a stack?")
    assert host.asked.count("/token") == 2
    host.tokens.insert(0, "expired.or.forged")
    browser_page.reload()
    browser_page.get_by_role("button", name="Teaching assistant").click()
    shown = browser_page.frame_locator("iframe").get_by_test_id("question")
    expect(shown).to_have_text(["What is a stack?"])
    assert host.asked.count("/token") == 4


@pytest.mark.browser
def test_the_keyboard_opens_asks_and_closes(host: Host, browser_page: Page) -> None:
    """Enter opens with the focus in the frame, Escape closes with the focus on the button."""
    browser_page.goto(host.address)
    button = browser_page.get_by_role("button", name="Teaching assistant")
    button.wait_for()
    browser_page.keyboard.press("Tab")
    browser_page.keyboard.press("Enter")
    frame = browser_page.frame_locator("iframe")
    frame.get_by_test_id("welcome").wait_for()
    expect(button).to_have_attribute("aria-expanded", "true")
    for _ in range(12):
        if frame.get_by_test_id("question-input").evaluate("box => box.matches(':focus')"):
            break
        browser_page.keyboard.press("Tab")
    browser_page.keyboard.type("What is a stack?")
    browser_page.keyboard.press("Enter")
    frame.get_by_test_id("answer-html").wait_for()
    browser_page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(button).to_be_focused()
    expect(browser_page.locator("iframe")).to_be_hidden()


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_the_open_frame_fits_the_screen(host: Host, browser_page: Page, width: int) -> None:
    """On a phone it takes the width and leaves the button; beside it, nothing is wider than the screen."""
    browser_page.set_viewport_size({"width": width, "height": 740})
    frame = open_assistant(browser_page, host)
    ask(frame, "What is a stack?")
    box = browser_page.locator("iframe").bounding_box()
    button = browser_page.get_by_role("button", name="Close").bounding_box()
    assert box is not None
    assert button is not None
    assert box["height"] > 500
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= button["y"]
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert browser_page.evaluate("document.documentElement.scrollWidth") == width
    assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.fault(case="T25")
@pytest.mark.browser
def test_a_site_that_is_not_allowed_gets_no_frame(api: Served, host: Host, browser_page: Page) -> None:
    """The browser refuses to show the page there (T25)."""
    api.platform.stores.settings.change(
        COURSE, lambda found: replace(found, origins=("https://good.example",))
    )
    host.html = host.html.replace('token-url="/token"', "")
    browser_page.goto(host.address)
    with browser_page.expect_event(
        "console", lambda message: "frame-ancestors" in message.text and message.type == "error"
    ):
        browser_page.get_by_role("button", name="Teaching assistant").click()
    assert host.asked.count("/token") <= 1
    assert not [frame for frame in browser_page.frames if "/embed/" in frame.url and "vta" in frame.content()]


@pytest.mark.fault(case="T25")
@pytest.mark.browser
def test_a_message_of_anyone_else_is_ignored(api: Served, host: Host, browser_page: Page) -> None:
    """Of another origin, window or version: neither a place nor a token is taken (T25)."""
    taken = host.tokens[0]
    frame = open_assistant(browser_page, host)
    ask(frame, "What is a stack?")
    frame.evaluate(
        """([origin]) => {
          const data = { vta: 1, type: "position", video: "forged.mp4", second: 1 };
          window.forge = (changes) =>
            window.dispatchEvent(new MessageEvent("message", { source: parent, origin, data, ...changes }));
          forge({ origin: "https://evil.example" });
          forge({ origin: "null" });
          forge({ origin: origin + ".evil.com" });
          forge({ source: window });
          forge({ data: { vta: 2, type: "position", video: "forged.mp4" } });
          forge({ data: "position" });
          forge({ data: null });
          forge({ origin: "https://evil.example", data: { vta: 1, type: "token", token: "forged" } });
        }""",
        [host.address],
    )
    video = "document.querySelector('vta-sidebar').getAttribute('video')"
    assert frame.evaluate(video) == "01.mp4"
    assert frame.evaluate("document.querySelector('vta-sidebar').visitor.token") == taken
    frame.evaluate("forge({})")
    assert frame.evaluate(video) == "forged.mp4", "the same message is taken from the page itself"
    browser_page.evaluate(
        """(vta) => {
          window.heard = [];
          document.addEventListener("vta-seek", ({ detail }) => window.heard.push(detail));
          const root = document.querySelector("vta-assistant").shadowRoot;
          const source = root.querySelector("iframe").contentWindow;
          const forge = (video, from) => window.dispatchEvent(
            new MessageEvent("message", { data: { vta: 1, type: "seek", video, second: 1 }, ...from }));
          forge("forged.mp4", { source, origin: "https://evil.example" });
          forge("forged.mp4", { source: window, origin: vta });
          forge("real.mp4", { source, origin: vta });
        }""",
        api.address,
    )
    assert browser_page.evaluate("window.heard") == [{"video": "real.mp4", "second": 1}]


@pytest.mark.browser
@pytest.mark.settings(open_sidebar=True)
def test_an_iframe_without_the_script_starts_for_a_visitor(
    api: Served, host: Host, browser_page: Page
) -> None:
    """As editors of learning platforms leave it, which take scripts away."""
    host.html = f'<!doctype html><title>Lecture</title><iframe src="{api.address}/embed/{COURSE}"></iframe>'
    browser_page.goto(host.address)
    frame = browser_page.frame_locator("iframe")
    ask(frame, "What is a stack?")
    expect(frame.get_by_test_id("answer-html").first).to_be_visible()


@pytest.mark.browser
def test_an_iframe_without_the_script_says_what_is_missing(
    api: Served, host: Host, browser_page: Page
) -> None:
    """Where only learners with a token may ask; with the element nothing of it is there."""
    iframe = f'<!doctype html><title>Lecture</title><iframe src="{api.address}/embed/{COURSE}"></iframe>'
    element, host.html = host.html, iframe
    browser_page.goto(host.address)
    expect(browser_page.frame_locator("iframe").locator("#closed")).to_contain_text("vta-assistant element")
    host.html = element
    open_assistant(browser_page, host)
    assert browser_page.frame_locator("iframe").locator("#closed").count() == 0


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("https://学习.example", "https://xn--vjq503a.example"),
        ("https://Bücher.example:8443/", "https://xn--bcher-kva.example:8443"),
    ],
)
def test_an_internationalised_origin_is_kept_as_browsers_write_it(api: Served, typed: str, held: str) -> None:
    """In Punycode, which the settings page and the API show."""
    changed = api.client.patch(
        f"/v1/courses/{COURSE}/settings", json={"origins": [typed]}, headers=api.bearer()
    )
    assert changed.json()["origins"] == [held]
    assert held in api.client.get(f"/embed/{COURSE}").headers["content-security-policy"]


@pytest.mark.browser
def test_no_key_and_no_token_is_kept_in_the_browser(api: Served, host: Host, browser_page: Page) -> None:
    """Not in any page, script or style, nor in storage, address or cookie after a conversation."""
    taken = host.tokens[0]
    key = api.key(Role.PLATFORM)
    secret = api.platform.stores.secrets.secret("visitor tokens").hex()
    texts: list[str] = []
    browser_page.on("request", lambda request: texts.append(request.url))
    frame = open_assistant(browser_page, host)
    ask(frame, "What is a stack?")
    texts.append(frame.content())
    texts.append(browser_page.content())
    for where in (frame, browser_page.main_frame):
        texts.append(
            where.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
        )
    files = ["/embed.js", *(f"/sidebar/{name}" for name in static_files("services.sidebar"))]
    for path in [
        *files,
        f"/embed/{COURSE}",
        f"/courses/{COURSE}",
        "/console/log-in",
        "/openapi.json",
        "/docs",
    ]:
        texts.append(api.client.get(path).text)
    for text in texts:
        assert not re.search(r"vta_[0-9a-f]{12}_", text)
        assert taken not in text
        assert secret not in text
    assert key not in "".join(texts)
