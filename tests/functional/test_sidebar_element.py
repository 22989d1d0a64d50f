"""The sidebar in a real Chromium against a scripted HTTP server that speaks the dialogue API."""

from __future__ import annotations

import html
import json
import mimetypes
import re
import threading
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from chromium import Chromium, unfold
from local_http import Asked, LocalHttp
from playwright.sync_api import Browser, Locator, Page, Route, expect

from services.demo.sample_courses import Video, VideoCue
from services.rendering.growing import GrowingMarkdown
from services.rendering.markdown import render_markdown
from services.rendering.templates import static_files
from services.sidebar.pages import render_course_page
from vta.languages import Language
from vta.types.courses import Course, CourseId

pytestmark = [
    pytest.mark.browser,
]

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; script-src 'self'"
ATTACK = "<img src=x onerror=\"document.title='pwned'\">"

PAGE = {
    "n": 1,
    "source": "material",
    "title": "Stacks",
    "document": "notes/03-stack.md",
    "passage": "A stack is a linear list that allows access at one end only.",
    "url": None,
    "locator": {"heading_path": ["Data structures", "Linear lists", "Stacks"]},
}
VIDEO = {
    "n": 2,
    "source": "material",
    "title": "Push and pop",
    "document": "videos/03-stack.srt",
    "passage": "Push puts a value on the top.",
    "url": "javascript:alert(1)",
    "locator": {"video": "03-stack.mp4", "start_s": 65.4},
}
STACK = {
    "name": "stack",
    "definition": "A list that is last in, first out.",
    "domains": ["Computer science"],
    "prerequisites": [{"name": "linear list", "definition": "Values in a row.", "where": "Linear lists"}],
}

TAUGHT_IN_NOTES = {
    "document": "notes/01-list.md",
    "locator": {"heading_path": ["Data structures", "Linear lists"]},
    "passage": "A linear list keeps its values in a row.",
    "url": None,
}
TAUGHT_IN_VIDEO = {
    "document": "videos/03-stack.srt",
    "locator": {"video": "03-stack.mp4", "start_s": 65.4},
    "passage": "",
    "url": None,
}
STUDY = {
    "name": "stack",
    "definition": "A list that is last in, first out.",
    "domains": ["Computer science"],
    "taught": TAUGHT_IN_VIDEO,
    "path": [
        {"name": "order", "definition": "", "distance": 2, "taught": None},
        {"name": "linear list", "definition": "Values in a row.", "distance": 1, "taught": TAUGHT_IN_NOTES},
    ],
    "path_left_out": 3,
    "prerequisites": [],
    "dependents": [{"name": "call stack"}],
    "dependents_left_out": 0,
    "taught_before": [],
}
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" class="neighbourhood" role="img" viewBox="0 0 400 44"'
    ' width="400" height="44"><title>Concepts around “stack”</title><style>* { fill: red }</style>'
    '<script>alert(1)</script><svg class="centre" x="142" y="2" width="116" height="40" role="none"'
    ' style="position: fixed"><title>stack</title><rect x="1" y="1" width="114" height="38"/>'
    '<text x="58" y="24" text-anchor="middle" fill="currentColor">stack</text></svg>'
    '<a href="http://elsewhere.invalid/"><text>link</text></a></svg>'
)


def make_answer(turn: str, **changes: object) -> dict[str, Any]:
    """An answer as the API gives it, with `changes`."""
    answer = {
        "turn_id": turn,
        "session_id": "s-1",
        "course_id": "data-structures-en",
        "route": "direct",
        "text": "A **stack** is last in, first out [1][2]. `a[1]` stays.",
        "html": "<p>A <strong>stack</strong> is last in, first out [1][2]. <code>a[1]</code> stays.</p>",
        "citations": [PAGE, VIDEO],
        "concepts": [STACK],
        "intent": {"label": "simple", "chit_chat": 0.01},
        "ranking": {"score": 12.5, "beta": 8.0, "terms": ["stack"]},
        "standalone_question": "What is a stack?",
        "degraded": None,
        "actions": ["ask_ta", "feedback"],
        "trace": [{"stage": "intent", "decision": "simple", "ms": 1.0}],
    }
    return answer | changes


class ScriptedCourse(LocalHttp):
    """A course whose answers are written down beforehand; it keeps what it was sent.

    Serves the page, the sidebar's files and the dialogue API.
    """

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Any]] = {}
        self.deltas: list[str] = ["A **stack** ", "is last in, first out [1]."]
        self.sources: list[dict[str, Any]] = []
        self.turns: list[dict[str, Any]] = []
        self.requests: list[tuple[str, dict[str, Any], str | None]] = []
        self.problems: list[tuple[int, dict[str, Any]]] = []
        self.cut_streams = 0
        self.bodies_by_key: dict[str | None, object] = {}
        self.ta_answers: list[dict[str, Any]] = []
        self.studies: list[tuple[int, object]] = []
        self.picture = PICTURE
        self.start: dict[str, Any] = {"suggestions": [], "hints": False}
        self.release = threading.Event()
        self.release.set()
        self.page = ""

    def bodies(self, end: str) -> list[dict[str, Any]]:
        """The JSON bodies POSTed to paths that end in `end`, in order."""
        return [body for path, body, _ in self.requests if path.endswith(end)]

    def answer(self, request: Asked) -> None:
        path = request.path
        if request.command == "POST":
            self._take(request, json.loads(request.body()))
        elif path == "/":
            request.reply(self.page, content_security_policy=POLICY)
        elif path.startswith("/sidebar/"):
            name = path.removeprefix("/sidebar/")
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            request.reply(static_files("services.sidebar")[name].read_bytes(), kind)
        elif path.endswith("/concepts/stack/neighbourhood.svg?depth=1"):
            request.reply(self.picture, "image/svg+xml")
        elif path.endswith("/concepts/stack"):
            status, study = self.studies.pop(0) if self.studies else (200, STUDY)
            request.reply_json(study, status)
        elif path.endswith("/v1/courses/data-structures-en/sidebar"):
            request.reply_json(self.start)
        elif path.endswith("/ta-answers"):
            request.reply_json({"answers": self.ta_answers})
        elif path.endswith("/sessions/s-1"):
            request.reply_json({"session_id": "s-1", "turns": self.turns})
        else:
            self._refuse(request, 404, {"title": "Not found", "code": "not_found"})

    def _take(self, request: Asked, body: dict[str, Any]) -> None:
        path, key = request.path, request.headers["Idempotency-Key"]
        self.requests.append((path, body, key))
        if self.problems:
            self._refuse(request, *self.problems.pop(0))
        elif self.bodies_by_key.setdefault(key, body) != body:
            reused = {"title": "Unprocessable Entity", "detail": "reused", "code": "idempotency_key_reused"}
            self._refuse(request, 422, reused)
        elif path.endswith("/dialogue") and body["session_id"] and not self.turns:
            self._refuse(request, 404, {"title": "Not found", "detail": "no session", "code": "not_found"})
        elif path.endswith("/dialogue"):
            self._stream(request, body["question"])
        elif path.endswith("/ask-ta"):
            request.reply_json({"question_id": "q-1", "state": "waiting"})
        else:
            request.reply_json({})

    def _refuse(self, request: Asked, status: int, problem: dict[str, Any]) -> None:
        request.reply_json(problem, status, "application/problem+json")

    def _stream(self, request: Asked, question: str) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream; charset=utf-8")
        request.end_headers()
        event(request, "start", {"turn_id": "t-1", "session_id": "s-1"})
        event(request, "trace", {"stage": "intent", "decision": "simple", "ms": 1.0})
        if self.sources:
            event(request, "sources", self.sources)
        written = GrowingMarkdown()
        for text in self.deltas:
            request.wfile.write(b": ping\r\n\r\n")
            event(request, "delta", {"text": text})
            if change := written.add(text):
                event(request, "html", {"keep": change.keep, "html": change.html})
        self.release.wait(timeout=30)
        if self.cut_streams:
            self.cut_streams -= 1
            return
        number = len(self.turns) + 1
        answer = make_answer(f"t-{number}") | self.answers.get(question, {})
        self.turns.append({"number": number, "question": question, "answer": answer})
        event(request, "citations", answer["citations"])
        event(request, "concepts", answer["concepts"])
        event(request, "done", answer)


def event(request: Asked, kind: str, data: object) -> None:
    """One event, in the smallest pieces that a network can make."""
    text = f"event: {kind}\r\ndata: {json.dumps(data, ensure_ascii=False)}\r\n\r\n"
    try:
        for byte in text.encode():
            request.wfile.write(bytes([byte]))
    except (BrokenPipeError, ConnectionResetError):
        request.close_connection = True


def render() -> str:
    """The page of a course, whose sidebar has suggestions of its own."""
    suggestions = html.escape(json.dumps(["What is a stack?", 'What\'s "FIFO"?']))
    page = render_course_page(
        course=Course(
            id=CourseId("data-structures-en"),
            name="Data structures </script>",
            domains=("Computer science",),
            language=Language.EN,
        ),
        language=Language.EN,
        page_html="<h1>Stacks</h1><p>Push and pop.</p>",
        videos=[Video(file="01-intro.mp4", title="Introduction"), Video(file="03-stack.mp4", title="Stacks")],
        cues=[
            VideoCue(video="03-stack.mp4", start_s=0, text="Hello."),
            VideoCue(video="03-stack.mp4", start_s=65.4, text="Push puts a value on the top."),
        ],
        others=(),
        reading=None,
        other_url="/courses/data-structures-en?lang=zh",
    )
    return page.replace("<vta-sidebar ", f'<vta-sidebar suggestions="{suggestions}" ')


@pytest.fixture
def course() -> Iterator[ScriptedCourse]:
    with ScriptedCourse() as scripted:
        scripted.page = render()
        yield scripted
        scripted.release.set()


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[Browser]:
    with chromium.use() as started:
        yield started


@pytest.fixture
def tab(browser: Browser, course: ScriptedCourse) -> Iterator[Page]:
    """An open course page; afterwards: no script error, no policy violation, no request elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(f"dialog {dialog.message}"))
    page.on(
        "console",
        lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None,
    )
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((course.address, "data:")) else faults.append(request.url)
        ),
    )
    page.goto(course.address)
    page.get_by_test_id("welcome").wait_for()
    yield page
    context.close()
    assert faults == []


def send(tab: Page, question: str = "What is a stack?") -> None:
    tab.get_by_test_id("question-input").fill(question)
    tab.get_by_test_id("question-input").press("Enter")


def ask(tab: Page, question: str = "What is a stack?") -> None:
    """Ask and wait for the finished answer."""
    answered = tab.get_by_test_id("answer-html").count()
    send(tab, question)
    tab.get_by_test_id("answer-html").nth(answered).wait_for()


def ask_and_open_the_concept(tab: Page) -> Locator:
    """The concept's chip."""
    ask(tab)
    unfold(tab, "concepts")
    chip = tab.get_by_test_id("concept-chip")
    chip.click()
    return chip


FOCUS_STYLE = """() => {
  const at = document.activeElement.shadowRoot?.activeElement;
  if (!at) return null;
  const style = getComputedStyle(at), box = at.closest(".box"); // the question's is drawn as a whole
  const boxed = box && getComputedStyle(box).boxShadow !== "none";
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return { id: at.dataset.testid ?? "", drawn: outlined || boxed };
}"""


def focused(tab: Page) -> str:
    """The test id of the element with the focus inside the sidebar."""
    return str(tab.evaluate("document.activeElement.shadowRoot.activeElement.dataset.testid"))


def test_streamed_text_is_set_as_it_comes(tab: Page, course: ScriptedCourse) -> None:
    """It is not announced while the log is busy; `done` replaces it by the finished answer."""
    course.release.clear()
    send(tab)
    tab.get_by_text("A stack is last in, first out [1].").wait_for()
    assert tab.locator("[data-testid=streaming] strong").inner_text() == "stack"
    assert tab.get_by_test_id("log").get_attribute("aria-busy") == "true"
    assert tab.get_by_test_id("streaming").get_attribute("aria-live") == "off"
    course.release.set()
    tab.locator("[data-testid=answer-html] strong", has_text="stack").wait_for()
    assert tab.get_by_test_id("streaming").count() == 0
    assert tab.get_by_test_id("log").get_attribute("aria-busy") is None
    assert tab.get_by_test_id("log").get_attribute("aria-live") == "polite"
    sent = course.bodies("/dialogue")
    assert sent == [
        {"question": "What is a stack?", "session_id": None, "stream": True}
        | {"position": {"video": "01-intro.mp4", "second": 0}}
    ]


def test_what_was_found_and_the_time_stand_there_before_the_first_word(
    tab: Page, course: ScriptedCourse
) -> None:
    """The seconds are counted in silence; a list that was opened is open in the finished answer too."""
    course.sources = [PAGE, VIDEO]
    course.deltas = []
    course.release.clear()
    send(tab)
    expect(tab.get_by_test_id("progress")).to_have_text("Thinking…")
    expect(tab.get_by_test_id("elapsed")).to_have_text(re.compile(r"^[23] s$"))
    assert tab.get_by_test_id("elapsed").get_attribute("aria-hidden") == "true"
    expect(tab.get_by_test_id("fold")).to_have_text("Found in the course (2)")
    unfold(tab, "citations")
    tab.get_by_test_id("citation").last.click()
    expect(tab.get_by_test_id("passage-text")).to_have_text("Push puts a value on the top.")
    course.release.set()
    tab.get_by_test_id("answer-html").wait_for()
    assert tab.get_by_test_id("fold").first.inner_text() == "Sources (2)"
    assert tab.get_by_test_id("citation").first.is_visible()
    assert tab.get_by_test_id("progress").count() == 0


def test_streamed_text_grows_without_losing_what_is_used_in_it(tab: Page, course: ScriptedCourse) -> None:
    """Elements that are the same stay, so a marker can be used while more words come."""
    course.sources = [PAGE, VIDEO]
    course.release.clear()
    course.deltas = ["A **stack** [1] is a", " list", " with one end.\n\n- push", "\n- pop"]
    send(tab)
    tab.get_by_text("pop", exact=True).wait_for()
    kept = tab.evaluate(
        """async () => {
          const { grow } = await import("/sidebar/prose.js");
          const page = (html) => Object.assign(document.createElement("div"), { innerHTML: html });
          const shown = page("<p>A <b>stack</b> is</p>");
          const [paragraph, word] = [shown.firstChild, shown.querySelector("b")];
          const stages = [
            "<p>A <b>stack</b> is a <i>li</i></p>",
            "<p>A <b>stack</b> is a <i>list</i></p><ul><li>x</li></ul>",
            "<p>B</p>",
          ];
          return stages.map((html) => {
            grow(shown, page(html));
            return [shown.innerHTML === html, shown.firstChild === paragraph, shown.contains(word)];
          });
        }"""
    )
    assert kept == [[True, True, True], [True, True, True], [True, True, False]]
    tab.get_by_test_id("citation-marker").click()
    expect(tab.get_by_test_id("passage-text")).to_have_text(PAGE["passage"])
    course.release.set()
    tab.get_by_test_id("answer-html").wait_for()


def test_the_arrow_up_brings_back_the_last_question(tab: Page) -> None:
    field = tab.get_by_test_id("question-input")
    field.press("ArrowUp")
    assert field.input_value() == ""
    ask(tab, "What is a stack?")
    field.press("ArrowUp")
    assert field.input_value() == "What is a stack?"
    field.fill("mine")
    field.press("ArrowUp")
    assert field.input_value() == "mine"


def test_a_marker_previews_its_passage(tab: Page) -> None:
    """Title, place and first words, for the pointer and the keyboard; Escape closes it and nothing else."""
    ask(tab)
    marker, preview = tab.get_by_test_id("citation-marker").first, tab.get_by_test_id("preview")
    marker.hover()
    expect(preview).to_be_in_viewport()
    for said in (PAGE["title"], "Data structures › Linear lists › Stacks", PAGE["passage"]):
        expect(preview).to_contain_text(str(said))
    preview.hover()
    expect(preview).to_be_visible()
    tab.get_by_test_id("question-input").hover()
    expect(preview).to_have_count(0)
    tab.get_by_test_id("question-input").press("Shift+Tab")
    marker.focus()
    expect(preview).to_be_visible()
    marker.press("Escape")
    expect(preview).to_have_count(0)
    assert focused(tab) == "citation-marker"


def test_marker_opens_the_passage_with_its_heading_path(tab: Page) -> None:
    """An inline [1] opens the passage, its heading path and kind; [1] inside code stays text."""
    ask(tab)
    assert tab.get_by_test_id("citation-marker").all_inner_texts() == ["[1]", "[2]"]
    tab.get_by_test_id("citation-marker").first.click()
    steps = tab.locator("[data-testid=passage-path] li").all_inner_texts()
    assert steps == ["Data structures", "Linear lists"], "the title above says the last one"
    assert tab.get_by_test_id("passage-text").inner_text() == PAGE["passage"]
    assert tab.get_by_test_id("passage-place").count() == 0, (
        "the headings say it; a file name is none of the student's"
    )
    assert tab.get_by_test_id("passage").get_by_test_id("citation-kind").inner_text() == "Course material"


def test_video_citation_moves_the_player(tab: Page, course: ScriptedCourse) -> None:
    """`vta-seek` is fired outside the element, the player jumps there, and so does the next question."""
    tab.evaluate("addEventListener('vta-seek', ({detail}) => { window.sought = detail; })")
    ask(tab)
    unfold(tab, "citations")
    tab.get_by_test_id("citation").nth(1).click()
    assert tab.evaluate("window.sought") == {"video": "03-stack.mp4", "start_s": 65.4, "show": False}
    assert tab.get_by_test_id("player-at").inner_text() == "01:05"
    assert tab.get_by_test_id("player-caption").inner_text() == "Push puts a value on the top."
    assert tab.get_by_test_id("passage-place").inner_text() == "01:05"
    assert tab.get_by_test_id("passage-link").count() == 0, "a javascript: address must not become a link"
    ask(tab, "And then?")
    assert course.bodies("/dialogue")[1]["position"] == {"video": "03-stack.mp4", "second": 65}
    assert course.bodies("/dialogue")[1]["session_id"] == "s-1"


def test_prerequisite_chip_asks_about_it(tab: Page, course: ScriptedCourse) -> None:
    """A concept shows definition, domains and prerequisites; a prerequisite's chip asks what it is."""
    ask_and_open_the_concept(tab)
    assert tab.get_by_test_id("concept-definition").inner_text() == STACK["definition"]
    assert tab.get_by_test_id("concept-domains").inner_text() == "Domains: Computer science"
    tab.get_by_test_id("prerequisite-chip").nth(1).click()
    tab.get_by_test_id("answer-html").nth(1).wait_for()
    assert course.bodies("/dialogue")[1]["question"] == "What is linear list?"


def test_an_open_concept_shows_the_path_to_it(tab: Page) -> None:
    """The steps in order with definition and place; what has none, and what is left out, is said."""
    ask(tab)
    unfold(tab, "concepts")
    chip = tab.get_by_test_id("concept-chip")
    assert chip.get_attribute("aria-expanded") == "false"
    chip.click()
    assert chip.get_attribute("aria-expanded") == "true"
    tab.get_by_test_id("learning-path").wait_for()
    steps = tab.get_by_test_id("path-step").all_inner_texts()
    assert [[line for line in step.splitlines() if line] for step in steps] == [
        ["order", "No definition in the course yet.", "Not found in the course material."],
        ["linear list", "direct", "Values in a row.", "Data structures › Linear lists"],
    ]
    assert "3 more basic concepts" in tab.get_by_test_id("concept-study").inner_text()
    chip.click()
    assert chip.get_attribute("aria-expanded") == "false"
    assert tab.get_by_test_id("concept-detail").is_hidden()


def test_a_step_opens_where_it_is_taught(tab: Page) -> None:
    """A heading opens its passage, a second of a lecture moves the player as well; by keyboard."""
    ask(tab)
    unfold(tab, "concepts")
    tab.get_by_test_id("concept-chip").focus()
    tab.keyboard.press("Enter")
    tab.get_by_test_id("learning-path").wait_for()
    tab.get_by_test_id("path-step").get_by_test_id("step-place").focus()
    tab.keyboard.press("Enter")
    panel = tab.get_by_test_id("passage")
    assert panel.get_by_role("heading").inner_text() == "linear list"
    assert panel.locator("[data-testid=passage-path] li").all_inner_texts() == [
        "Data structures",
        "Linear lists",
    ]
    assert tab.get_by_test_id("passage-text").inner_text() == TAUGHT_IN_NOTES["passage"]
    tab.keyboard.press("Escape")
    assert focused(tab) == "step-place"
    tab.get_by_test_id("concept-taught").get_by_test_id("step-place").press("Enter")
    assert tab.get_by_test_id("player-at").inner_text() == "01:05"
    assert tab.get_by_test_id("passage-text").count() == 0, "no passage is known there"


def test_without_sure_prerequisites_the_order_of_teaching_is_shown_as_such(
    tab: Page, course: ScriptedCourse
) -> None:
    """That nothing is sure is said, and what the course teaches just before is no prerequisite."""
    before = {"name": "order", "definition": "Before and after.", "where": None, "taught": TAUGHT_IN_VIDEO}
    course.studies = [(200, STUDY | {"path": [], "path_left_out": 0, "taught_before": [before]})]
    ask_and_open_the_concept(tab)
    expect(tab.get_by_test_id("taught-before")).to_contain_text("order")
    told = tab.get_by_test_id("concept-study")
    expect(told).to_contain_text("The course material shows no sure prerequisites.")
    expect(told).to_contain_text("Taught just before (the order of the course, not prerequisites)")


def test_a_concept_that_nothing_defines_shows_what_comes_closest(tab: Page, course: ScriptedCourse) -> None:
    """The passage that teaches it, marked as such."""
    course.studies = [(200, STUDY | {"definition": "", "taught": TAUGHT_IN_NOTES})]
    ask_and_open_the_concept(tab)
    expect(tab.get_by_test_id("concept-closest")).to_have_text(TAUGHT_IN_NOTES["passage"])
    expect(tab.get_by_test_id("concept-taught")).to_contain_text("No sentence of the course defines it")


def test_of_a_picture_only_shapes_and_texts_are_taken(tab: Page) -> None:
    """The picture is a group with a name; styles, scripts and links of its text stay outside."""
    ask_and_open_the_concept(tab)
    picture = tab.get_by_test_id("concept-picture")
    picture.get_by_role("group", name="Concepts around “stack”").wait_for()
    assert picture.locator("style, script, a, [style]").count() == 0
    assert picture.locator("text").all_text_contents() == ["stack"]


@pytest.mark.parametrize("text", ["<svg", "<html xmlns='http://www.w3.org/1999/xhtml'/>", ""])
def test_a_picture_that_is_none_is_left_out(tab: Page, course: ScriptedCourse, text: str) -> None:
    """What is no SVG is not shown, and the path is."""
    course.picture = text
    ask_and_open_the_concept(tab)
    tab.get_by_test_id("learning-path").wait_for()
    assert tab.get_by_test_id("concept-picture").count() == 0


def test_a_path_that_cannot_be_read_is_said_and_read_again(tab: Page, course: ScriptedCourse) -> None:
    """A failure is shown plainly beside what the answer told already; Retry brings the path."""
    problem = {"title": "x", "detail": "the index is being built", "code": "not_ready", "status": 503}
    course.studies.append((503, problem))
    ask_and_open_the_concept(tab)
    failed = tab.get_by_test_id("study-failed")
    failed.wait_for()
    assert "Could not load the learning path" in failed.inner_text()
    assert "isn’t ready yet" in failed.inner_text()
    assert tab.get_by_test_id("prerequisite-chip").all_inner_texts() == ["linear list"]
    tab.get_by_test_id("study-retry").press("Enter")
    tab.get_by_test_id("learning-path").wait_for()
    assert focused(tab) == "concept-study"
    assert failed.count() == 0


def test_a_suggestion_is_asked_as_it_is_written(tab: Page, course: ScriptedCourse) -> None:
    """The course's own top questions and greeting stand in the place of the page's."""
    suggestions = tab.get_by_test_id("suggestion")
    expect(suggestions).to_have_text(["What is a stack?", 'What\'s "FIFO"?'])
    greeting = f"Hi, I am Bo. {ATTACK}"
    course.start = {"suggestions": ["What is a queue?", ATTACK], "hints": False, "greeting": greeting}
    course.start["name"] = f"Bo {ATTACK}"
    tab.reload()
    expect(suggestions).to_have_text(["What is a queue?", ATTACK])
    expect(tab.get_by_test_id("welcome")).to_contain_text(greeting)
    expect(tab.get_by_role("region", name=f"Bo {ATTACK}").get_by_role("heading", level=2)).to_have_text(
        f"Bo {ATTACK}"
    )
    suggestions.nth(1).click()
    tab.get_by_test_id("answer-html").wait_for()
    assert course.bodies("/dialogue")[0]["question"] == ATTACK
    assert tab.get_by_test_id("welcome").count() == 0


def test_an_answer_comes_folded(tab: Page) -> None:
    """Sources and concepts wait behind their number; a marker opens its passage while they stay closed.

    What is unfolded comes into view.
    """
    ask(tab)
    assert tab.get_by_test_id("fold").all_inner_texts() == ["Sources (2)", "Concepts (1)"]
    tab.get_by_test_id("citation-marker").first.click()
    assert tab.get_by_test_id("passage-text").is_visible()
    assert not tab.get_by_test_id("citation").first.is_visible()
    unfold(tab, "citations")
    assert tab.get_by_test_id("citation").first.is_visible()
    tab.get_by_test_id("passage-close").click()
    for number in range(2, 5):
        ask(tab, f"And {number}?")
    unfold(tab, "citations")
    expect(tab.get_by_test_id("citation").last).to_be_in_viewport(ratio=1)
    assert not tab.get_by_test_id("concept-chip").last.is_visible()


EXCERPTS = """Rows first. A `stack` of $n$ values costs $5 here. Write: [1]

$$n + 1$$

```python
push(1)
```

```python
pop()
```

**What is a queue?**

It is fair. It has two ends. [2]

Push puts a value on the top. [3]

See also: [4]
"""
CODE_QUOTED = PAGE | {
    "quoted": True,
    "passage_html": render_markdown("Rows first. Write:\n\n$$n + 1$$\n\n```python\npush(1)\n```"),
    "marked": "A `stack` of $n$ values costs $5 here.",
}
FAQ_QUOTED = {"n": 2, "source": "faq", "title": "What is a queue?", "document": "faq.csv", "url": None} | {
    "passage": "It is fair. It has two ends.",
    "locator": {},
    "quoted": True,
    "marked": "It has two ends.",
}


def test_an_excerpt_shows_the_sentence_that_answers_its_place_and_the_way_to_the_passage(
    tab: Page, course: ScriptedCourse
) -> None:
    """Code and formulas of the passage belong to its excerpt, others do not; other sources are listed."""
    book = PAGE | {"n": 4, "locator": {"heading_path": ["Stacks"], "page": 12}}
    sources = [CODE_QUOTED, FAQ_QUOTED, VIDEO | {"n": 3, "quoted": True}, book]
    course.answers["Why?"] = {"html": render_markdown(EXCERPTS), "citations": sources}
    ask(tab, "Why?")
    body = tab.get_by_test_id("answer-html")
    marked = "".join(body.locator("mark").all_text_contents())
    assert marked == "A stack of  values costs $5 here.It has two ends.", "a formula stays as it is"
    lines = tab.get_by_test_id("excerpt-source")
    assert lines.locator(".place").all_text_contents() == [
        "Data structures › Linear lists › Stacks",
        "",  # its question stands above it
        "Push and pop · 01:05",
    ]
    assert lines.get_by_test_id("citation-kind").all_inner_texts() == ["FAQ"]
    kinds = "prose => [...prose.children].map(each => each.dataset.testid ?? each.className)"
    line = "excerpt-source"
    assert body.evaluate(kinds) == ["", "", "code", line, "code", "", "", line, "", line, ""]
    assert tab.get_by_test_id("fold").all_inner_texts() == ["Other sources (1)", "Concepts (1)"]
    assert tab.get_by_test_id("citation").locator(".number").all_text_contents() == ["4"]
    assert tab.get_by_test_id("citation").locator(".place").all_text_contents() == ["Stacks · Page 12"]
    more = tab.get_by_role("button", name="More: Source 1: Stacks")
    more.press("Enter")
    assert tab.locator("#passage-title").inner_text() == "[1] Stacks"
    tab.keyboard.press("Escape")
    assert focused(tab) == "excerpt-more"


@pytest.mark.parametrize("marked", ["", "Not a word of it.", ATTACK, "$x$", " "])
def test_a_sentence_that_is_not_found_is_not_marked(tab: Page, course: ScriptedCourse, marked: str) -> None:
    """Its place is shown all the same, without a list of sources; what is not quoted has no such line."""
    quoted = PAGE | {"title": ATTACK, "quoted": True, "marked": marked}
    course.answers["Why?"] = {"html": "<p>A stack [1].</p>", "citations": [quoted]}
    ask(tab, "Why?")
    assert tab.get_by_test_id("answer-html").locator("mark, img").count() == 0
    assert ATTACK in tab.get_by_test_id("excerpt-source").inner_text()
    assert tab.get_by_test_id("citations").count() == 0
    ask(tab)
    assert tab.get_by_test_id("excerpt-source").count() == 1
    assert tab.get_by_test_id("fold").last.inner_text() == "Concepts (1)"
    assert tab.get_by_test_id("fold").nth(1).inner_text() == "Sources (2)"


def test_an_offer_is_asked_and_stands_under_the_last_answer_alone(tab: Page, course: ScriptedCourse) -> None:
    """What an offer says on its button is not what it sends."""
    offer = {"label": "Example", "question": "Give me an example"}
    course.answers["What is a stack?"] = {"offers": [offer]}
    ask(tab, "What is a stack?")
    tab.get_by_test_id("offer").click()
    tab.get_by_test_id("answer-html").nth(1).wait_for()
    assert [body["question"] for body in course.bodies("/dialogue")] == [
        "What is a stack?",
        "Give me an example",
    ]
    assert tab.get_by_test_id("offer").count() == 0


def test_a_history_that_comes_late_offers_nothing(tab: Page, course: ScriptedCourse) -> None:
    """Turns that are shown after the next question was asked stand above it, once each; none is the last."""
    offers = [{"label": "Example", "question": "Give me an example"}]
    ask(tab)
    course.turns = [{"question": "What is a stack?", "answer": make_answer("t-0") | {"offers": offers}}]
    held = list[Route]()
    tab.route("**/sessions/s-1", lambda route: held.append(route))
    tab.reload()
    course.answers["Why?"] = {"offers": offers}
    ask(tab, "Why?")
    held[0].continue_()
    tab.get_by_test_id("question").nth(1).wait_for()
    assert tab.get_by_test_id("question").all_inner_texts() == ["What is a stack?", "Why?"]
    assert tab.get_by_test_id("offer").count() == 1


def test_hints_are_asked_for_where_the_course_offers_them(tab: Page, course: ScriptedCourse) -> None:
    """The switch is there only then; it is kept after a reload, and every question says what it is set to."""
    assert tab.get_by_test_id("hints").is_hidden()
    course.start = {"suggestions": [], "hints": True}
    tab.reload()
    tab.get_by_test_id("hints").click()
    ask(tab)
    tab.reload()
    tab.get_by_test_id("answer-html").wait_for()
    assert tab.get_by_test_id("hints").get_attribute("aria-pressed") == "true"
    ask(tab, "And a queue?")
    tab.get_by_test_id("hints").press("Enter")
    ask(tab, "And a list?")
    assert [body.get("mode") for body in course.bodies("/dialogue")] == ["hint", "hint", None]


def test_a_passage_is_shown_as_the_server_rendered_it(tab: Page, course: ScriptedCourse) -> None:
    """Its Markdown is not seen raw, and its links open beside the course."""
    html = '<p>A <strong>stack</strong> <a href="https://a.example">x</a></p>'
    course.answers["Why?"] = {"citations": [PAGE | {"passage": "A **stack**", "passage_html": html}]}
    ask(tab, "Why?")
    unfold(tab, "citations")
    tab.get_by_test_id("citation").click()
    passage = tab.get_by_test_id("passage-text")
    assert passage.locator("strong").inner_text() == "stack"
    assert passage.locator("a").get_attribute("rel") == "noopener noreferrer"


def test_unanswered_offers_a_real_ta(tab: Page, course: ScriptedCourse) -> None:
    """An unanswered question says so; asking a TA shows that it waits, also after a reload."""
    course.answers["Who?"] = {
        "route": "unanswered",
        "html": "<p>Not found.</p>",
        "citations": [],
        "concepts": [],
    }
    ask(tab, "Who?")
    assert tab.get_by_test_id("miss").inner_text() == "I couldn’t find a reliable answer in the course"
    tab.get_by_test_id("ask-ta").click()
    tab.get_by_test_id("ta-status").wait_for()
    assert course.requests[-1][0] == "/v1/courses/data-structures-en/turns/t-1/ask-ta"
    tab.reload()
    tab.get_by_test_id("ta-status").wait_for()
    assert tab.get_by_test_id("ask-ta").count() == 0


def go_to(tab: Page, name: str, key: str = "Tab") -> None:
    """Walk to a control inside the sidebar; the focus is drawn around each that is passed."""
    for _ in range(30):
        tab.keyboard.press(key)
        style = tab.evaluate(FOCUS_STYLE)
        assert style is not None, f"{name}: the focus left the sidebar"
        assert style["drawn"], f"no focus is seen at {style['id']}"
        if style["id"] == name:
            return
    pytest.fail(f"{name} is not reached")


def test_keyboard_alone_is_enough(tab: Page, course: ScriptedCourse) -> None:
    """Ask, unfold the sources, put a thumb down with a reason, ask a TA; Escape gives the focus back."""
    tab.get_by_test_id("question-input").focus()
    tab.keyboard.type("What is a stack?")
    tab.keyboard.press("Enter")
    tab.get_by_test_id("answer-html").wait_for()
    go_to(tab, "ask-ta", "Shift+Tab")
    go_to(tab, "thumb-down", "Shift+Tab")
    go_to(tab, "fold", "Shift+Tab")  # concepts
    go_to(tab, "fold", "Shift+Tab")  # sources
    tab.keyboard.press("Enter")
    go_to(tab, "citation")
    go_to(tab, "citation")  # the second one, of a video
    tab.keyboard.press("Enter")
    assert tab.get_by_test_id("player-at").inner_text() == "01:05"
    dialog = tab.get_by_role("dialog")
    assert dialog.evaluate("panel => panel.contains(panel.getRootNode().activeElement)")
    tab.keyboard.press("Escape")
    assert dialog.count() == 0
    assert focused(tab) == "citation"
    go_to(tab, "thumb-down")
    tab.keyboard.press("Enter")
    assert focused(tab) == "reason-wrong"
    tab.keyboard.press("ArrowDown")
    assert focused(tab) == "reason-not_what_i_asked"
    go_to(tab, "feedback-comment")
    tab.keyboard.type("I asked about heaps")
    go_to(tab, "feedback-send")
    tab.keyboard.press("Space")
    tab.get_by_text("Thanks for your feedback").wait_for()
    reason = {"rating": "down", "reason": "not_what_i_asked", "comment": "I asked about heaps"}
    assert course.bodies("/feedback") == [reason]
    assert focused(tab) == "thumb-down"
    go_to(tab, "ask-ta")
    tab.keyboard.press("Enter")
    tab.get_by_test_id("ta-status").wait_for()
    assert focused(tab) == "ta-status"
    go_to(tab, "question-input")


def test_shift_enter_starts_a_line(tab: Page, course: ScriptedCourse) -> None:
    """Shift+Enter adds a line, Enter sends both lines."""
    tab.get_by_test_id("question-input").focus()
    tab.keyboard.type("first")
    tab.keyboard.press("Shift+Enter")
    tab.keyboard.type("second")
    tab.keyboard.press("Enter")
    tab.get_by_test_id("answer-html").wait_for()
    assert course.bodies("/dialogue")[0]["question"] == "first\nsecond"


def test_enter_while_composing_does_not_send(tab: Page, course: ScriptedCourse) -> None:
    """Enter that confirms an input method's candidate sends nothing; the next Enter does."""
    box = tab.get_by_test_id("question-input")
    box.focus()
    keyboard = tab.context.new_cdp_session(tab)
    keyboard.send("Input.imeSetComposition", {"text": "zhan", "selectionStart": 4, "selectionEnd": 4})
    composing = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    keyboard.send("Input.dispatchKeyEvent", composing)
    keyboard.send("Input.insertText", {"text": "栈"})
    assert box.input_value() == "栈"
    assert course.bodies("/dialogue") == []
    box.press("Enter")
    tab.get_by_test_id("answer-html").wait_for()
    assert course.bodies("/dialogue")[0]["question"] == "栈"


def test_problem_is_shown_and_retried(tab: Page, course: ScriptedCourse) -> None:
    """A problem is shown in the words for its code; Retry asks again as a new request."""
    problem = {
        "title": "Too many questions",
        "detail": "Wait a little.",
        "code": "limit_exceeded",
        "status": 429,
    }
    course.problems.append((429, problem))
    send(tab)
    box = tab.get_by_test_id("problem")
    box.wait_for()
    assert "Too many questions" in box.inner_text()
    assert "Wait a little." not in box.inner_text()
    assert box.get_attribute("data-code") == "limit_exceeded"
    tab.get_by_test_id("retry").click()
    tab.get_by_test_id("answer-html").wait_for()
    keys = [key for path, _, key in course.requests if path.endswith("/dialogue")]
    assert [body["question"] for body in course.bodies("/dialogue")] == ["What is a stack?"] * 2
    assert len(set(keys)) == 2


def test_cut_stream_is_retried_with_the_same_key(tab: Page, course: ScriptedCourse) -> None:
    """A stream that ends without `done` is a lost connection; its text stays, the retry repeats its key."""
    course.cut_streams = 1
    send(tab)
    tab.get_by_test_id("problem").wait_for()
    assert tab.get_by_test_id("problem").get_attribute("data-code") == "network"
    assert tab.get_by_test_id("streaming").inner_text() == "A stack is last in, first out [1]."
    assert "incomplete" in tab.get_by_test_id("stopped").inner_text()
    course.deltas = []
    course.release.clear()
    tab.get_by_test_id("retry").click()
    tab.get_by_test_id("progress").wait_for()
    assert tab.get_by_test_id("streaming").inner_text() == "A stack is last in, first out [1]."
    assert tab.get_by_test_id("stopped").is_hidden()
    course.release.set()
    tab.get_by_test_id("answer-html").wait_for()
    keys = [key for path, _, key in course.requests if path.endswith("/dialogue")]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_an_open_passage_closes_with_the_next_question(tab: Page) -> None:
    ask(tab)
    unfold(tab, "citations")
    tab.get_by_test_id("citation").first.click()
    tab.get_by_test_id("passage-text").wait_for()
    ask(tab, "And a queue?")
    assert tab.get_by_test_id("passage").is_hidden()
    assert focused(tab) == "question-input"


def test_a_question_that_is_too_long_stays_in_the_box(tab: Page, course: ScriptedCourse) -> None:
    """Its length is told from nine tenths of the limit on, and nothing is sent beyond it."""
    course.start = {"suggestions": [], "hints": False, "longest_question": 20}
    tab.reload()
    tab.get_by_test_id("welcome").wait_for()
    box, length = tab.get_by_test_id("question-input"), tab.get_by_test_id("question-length")
    box.fill("17 characters \U0001f600\U0001f600?")
    assert length.is_hidden()
    box.fill("x" * 19)
    assert length.inner_text() == "19 of 20 characters"
    box.fill("x" * 21)
    assert "21 characters; the limit is 20" in length.inner_text()
    assert tab.get_by_test_id("send").is_disabled()
    box.press("Enter")
    assert box.input_value() == "x" * 21
    assert course.bodies("/dialogue") == []
    box.fill("x" * 20)
    box.press("Enter")
    tab.get_by_test_id("answer-html").wait_for()


def test_a_question_that_cannot_be_used_goes_back_to_be_edited(tab: Page, course: ScriptedCourse) -> None:
    course.problems.append((422, {"title": "Unprocessable", "detail": "no", "code": "invalid_input"}))
    send(tab)
    tab.get_by_text("Edit question").click()
    assert tab.get_by_test_id("question-input").input_value() == "What is a stack?"
    assert focused(tab) == "question-input"


def test_a_reload_keeps_the_thumb_and_what_was_handed_on(tab: Page, course: ScriptedCourse) -> None:
    """The server says so, also in a tab that remembers nothing but the session."""
    ask(tab)
    ask(tab, "And a queue?")
    course.turns[0] |= {"rating": "up", "ta_question": "waiting"}
    course.turns[1] |= {"rating": None, "ta_question": None}
    tab.reload()
    tab.get_by_test_id("answer-html").nth(1).wait_for()
    first, second = tab.get_by_test_id("turn").all()
    assert first.get_by_test_id("thumb-up").get_attribute("aria-pressed") == "true"
    assert first.get_by_test_id("thumb-down").get_attribute("aria-pressed") == "false"
    assert first.get_by_test_id("ask-ta").count() == 0
    assert first.get_by_test_id("ta-status").is_visible()
    assert second.get_by_test_id("ask-ta").is_visible()


def test_a_declined_question_shows_the_reason(tab: Page, course: ScriptedCourse) -> None:
    ask(tab)
    course.turns[0] |= {"rating": None, "ta_question": "rejected"}
    declined = {"state": "rejected", "reason": "This belongs to another course.", "seen": False}
    course.ta_answers = [
        {"turn_id": "t-1", "question": "What is a stack?", "text": "", "html": "", "answered_at": ""}
        | declined
    ]
    tab.reload()
    tab.get_by_test_id("ta-answer").wait_for()
    assert tab.get_by_test_id("ta-answer").inner_text().split("\n\n") == [
        "A real TA declined this question",
        "Reason: This belongs to another course.",
    ]
    assert "another course" in tab.get_by_test_id("ta-notice-item").inner_text()
    assert tab.get_by_test_id("ask-ta").count() == 0


@pytest.mark.parametrize(
    ("stage", "citations", "notes"),
    [
        ("language_model", [PAGE], ["degraded"]),
        ("grounding", [], ["uncited"]),
        ("grounding", [PAGE], ["degraded"]),
        ("guard", [PAGE], ["degraded"]),
    ],
)
def test_only_an_outage_is_called_one(
    tab: Page, course: ScriptedCourse, stage: str, citations: list[object], notes: list[str]
) -> None:
    """An answer without support, and a question that the guard held back, are no outage of the service."""
    course.answers["Why?"] = {"degraded": {"stage": stage, "reason": "why"}, "citations": citations}
    ask(tab, "Why?")
    shown = tab.locator("[data-testid=answer] .note")
    assert [note.get_attribute("data-testid") for note in shown.all()] == notes
    assert "unavailable" not in tab.get_by_test_id("answer").inner_text()


def test_formulas_are_neither_cut_nor_scrolled_up_and_down(tab: Page, course: ScriptedCourse) -> None:
    """A fraction in a line and a display formula wider than the sidebar; only this scrolls, sideways."""
    wide = " + ".join([r"\frac{x_i^2}{\sqrt{n}}"] * 40)
    course.answers["Why?"] = {"html": render_markdown(rf"Take $w - \eta \frac{{a}}{{b_i}}$ off: $${wide}$$")}
    ask(tab, "Why?")
    boxes = tab.get_by_test_id("answer-html").evaluate(
        """prose => [prose, ...prose.querySelectorAll("math")].map(node => ({
          cut: getComputedStyle(node).overflowY !== "visible" && node.scrollHeight > node.clientHeight,
          wide: node.scrollWidth > node.clientWidth,
        }))"""
    )
    assert [box["cut"] for box in boxes] == [False, False, False]
    assert [box["wide"] for box in boxes] == [False, False, True]


def test_copy_gives_the_markdown_and_what_its_numbers_are(tab: Page, course: ScriptedCourse) -> None:
    """Copy puts the answer's Markdown with its sources on the clipboard; no address that is none."""
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(tab)
    tab.get_by_test_id("copy").click()
    tab.get_by_text("Copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()").splitlines() == [
        make_answer("t-1")["text"],
        "",
        "Sources:",
        "[1] Stacks · Data structures › Linear lists › Stacks",
        "[2] Push and pop · 01:05",
    ]


def test_code_has_a_copy_button(tab: Page, course: ScriptedCourse) -> None:
    """It copies the block as it is written; it and its word stand beside the code, which is seen whole."""
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = f"def push(s, {'x' * 80}, last=True):\n    s.append(x)\n"
    course.answers["code"] = {"html": f"<p>So:</p><pre><code>{code}</code></pre>"}
    ask(tab, "code")
    tab.get_by_test_id("copy-code").click()
    tab.get_by_text("Copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()") == code
    block, *beside = tab.locator(".code").evaluate("""code => [...code.children].map(each => ({
      left: each.getBoundingClientRect().left, right: each.getBoundingClientRect().right,
      cut: each.scrollWidth > each.clientWidth + 1,
    }))""")
    assert [each["left"] >= block["right"] for each in beside] == [True, True]
    assert not block["cut"]


def test_code_in_a_language_that_is_named_is_coloured(tab: Page, course: ScriptedCourse) -> None:
    """The library comes with the first such block; characters, marks and other blocks stay as they are."""
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url.partition("/highlight/")[2]))
    code = '  # two\ndef push(s, x):\n    s.append("&lt;i&gt;" + x)\n'
    marked = PAGE | {"passage_html": f'<pre><code class="language-python">{code}</code></pre>'}
    html = f"<p>[1]</p><pre><code>{code}</code></pre><pre><code class='language-cobol'>{code}</code></pre>"
    course.answers["code"] = {"html": html, "citations": [marked]}
    ask(tab, "code")
    assert [name for name in asked if name] == []
    tab.get_by_test_id("citation-marker").click()
    passage = tab.get_by_test_id("passage-text")
    passage.locator(".code-keyword").wait_for()
    assert passage.locator(".code-comment").inner_text() == "# two"
    assert "".join(passage.locator(".code-string").all_inner_texts()) == '"<i>"'
    assert passage.locator("mark").count() > 0
    assert passage.locator("pre").text_content() == unescape(code)
    assert tab.get_by_test_id("answer-html").locator("[class^=code-]").count() == 0
    assert sorted(name for name in asked if name) == ["core.min.js", "python.min.js"]


def test_phone_width_has_no_sideways_scroll(tab: Page, course: ScriptedCourse) -> None:
    """At 360 px the course and the assistant are two views, and nothing is wider than the screen."""
    tab.set_viewport_size({"width": 360, "height": 740})
    quoted = PAGE | {"quoted": True, "title": "A_long_title" * 12}
    course.answers["What is a stack?"] = {"citations": [quoted, VIDEO]}
    tab.reload()  # the question box is made while it cannot be seen
    assert not tab.get_by_test_id("question-input").is_visible()
    tab.get_by_test_id("view-assistant").click()
    assert tab.get_by_test_id("question-input").evaluate("box => box.clientHeight >= box.scrollHeight")
    assert tab.get_by_test_id("new-conversation").bounding_box()["height"] < 40  # type: ignore[index]
    ask_and_open_the_concept(tab)
    tab.get_by_test_id("learning-path").wait_for()
    assert tab.get_by_test_id("excerpt-more").is_visible()
    unfold(tab, "citations")
    tab.get_by_test_id("citation").click()
    wide = "document.documentElement.scrollWidth"
    assert tab.evaluate(wide) == 360
    assert tab.get_by_test_id("log").evaluate("log => log.scrollWidth - log.clientWidth") == 0
    tab.get_by_test_id("view-course").click()
    assert tab.get_by_test_id("player-at").inner_text() == "01:05"
    assert tab.evaluate(wide) == 360
