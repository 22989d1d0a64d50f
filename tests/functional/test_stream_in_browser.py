"""A language model's answer on its whole way, from the model to a real browser that watches each frame."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from scripted_llm import Call, Scene, ScriptedLlm, chunk
from served_platform import Serve, Served

pytestmark = pytest.mark.browser

WHY = "Why does a stack have a top, and how does it differ from a queue?"
ANSWER = """A **stack** is *last in*, `first` out [1]; to push costs $O(1)$, to search $\\frac{n}{2}$.

| case | cost |
|---|---|
| push | $O(1)$ |
| **search** | $O(n)$ |

## How it goes on

1. Push a **value**.
2. Pop it:

```python
stack.append(1)
stack.pop()
```

$$
\\sum_{i=1}^n i = \\frac{n(n+1)}{2}
$$

That is **all** there is [1]."""
WATCH = """() => {
  window.frames_seen = [];
  const log = document.querySelector("vta-sidebar").shadowRoot.querySelector("[data-testid=log]");
  const look = () => {
    const text = log.querySelector("[data-testid=streaming], [data-testid=answer-html]");
    if (text) {
      const words = text.cloneNode(true);
      for (const each of words.querySelectorAll("pre, code, math, button")) each.remove();
      const { top, height } = text.getBoundingClientRect();
      const seen = words.textContent.replace(/\\s+/g, "");
      frames_seen.push({ words: seen, top, height, kind: text.dataset.testid });
    }
    requestAnimationFrame(look);
  };
  look();
}"""


def typed(text: str, *, after_s: float = 0.0, every_s: float = 0.01) -> Scene:
    """A model that writes a few characters at a time, the first after a while."""

    async def scene(call: Call) -> None:
        await call.begin_stream()
        await call.pause(after_s)
        for piece in re.findall(r"[\s\S]{1,3}", text):
            await call.send(chunk(piece))
            await call.pause(every_s)
        await call.send(chunk(finish="stop"))
        await call.end_stream()

    return scene


@pytest.fixture
def api(serve: Serve, scripted_llm: ScriptedLlm) -> Served:
    return serve(llm_base_url=scripted_llm.base_url, llm_model=scripted_llm.model)


@pytest.fixture
def page(api: Served, browser_page: Page) -> Page:
    """The open sidebar of a course."""
    browser_page.goto(f"{api.address}/embed/stacks-en")
    browser_page.get_by_test_id("welcome").wait_for()
    return browser_page


def ask(page: Page, question: str = WHY) -> None:
    page.get_by_test_id("question-input").fill(question)
    page.get_by_test_id("question-input").press("Enter")


def test_an_answer_is_set_while_it_is_written(page: Page, scripted_llm: ScriptedLlm) -> None:
    """Sources and seconds before the first word; then in no frame a raw mark, a lost word or a jump.

    What comes within a tenth of a second is shown together.
    """
    scripted_llm.play(typed(ANSWER, after_s=2.6, every_s=0.04))
    page.evaluate(WATCH)
    ask(page)
    expect(page.get_by_test_id("fold")).to_contain_text("Found in the course")
    expect(page.get_by_test_id("elapsed")).to_have_text(re.compile(r"^\d s$"))
    expect(page.locator("[data-testid=streaming] table math").first).to_be_attached()
    expect(page.locator("[data-testid=streaming] button").first).to_have_text("[1]")
    page.get_by_test_id("answer-html").wait_for()
    page.wait_for_timeout(200)

    frames = page.evaluate("frames_seen")
    streamed = [frame for frame in frames if frame["kind"] == "streaming" and frame["words"]]
    assert len({frame["words"] for frame in streamed}) > 10
    assert not [frame["words"] for frame in frames if re.search(r"[*`$|#]", frame["words"])]
    last = ""
    for frame in frames:
        assert frame["words"].startswith(last)
        last = frame["words"]
    heights = [frame["height"] for frame in streamed]
    assert heights == sorted(heights)
    finished = next(frame for frame in frames if frame["kind"] == "answer-html")
    assert finished["words"].startswith(streamed[-1]["words"])  # the last piece may come with the end
    assert finished["words"].endswith("allthereis.")
    assert abs(finished["top"] - streamed[-1]["top"]) < 1
    assert abs(finished["height"] - streamed[-1]["height"]) < 1


def test_a_stopped_answer_keeps_its_words_and_frees_the_model(page: Page, scripted_llm: ScriptedLlm) -> None:
    scripted_llm.play(typed(ANSWER, every_s=0.05))
    ask(page)
    expect(page.locator("[data-testid=streaming] strong").first).to_have_text("stack")
    page.get_by_test_id("stop").click()
    expect(page.get_by_test_id("stopped")).to_have_text("Stopped. This answer is incomplete.")
    expect(page.locator("[data-testid=streaming] strong").first).to_have_text("stack")
    expect(page.get_by_test_id("citations")).to_be_visible()
    assert scripted_llm.left.wait(30.0)
    scripted_llm.play(typed(ANSWER, every_s=0.0))
    page.get_by_test_id("retry").click()
    expect(page.get_by_test_id("answer-html")).to_contain_text("all there is")
    expect(page.get_by_test_id("stopped")).to_have_count(0)


def test_what_a_model_wrote_before_it_failed_stays_marked_as_incomplete(
    page: Page, scripted_llm: ScriptedLlm
) -> None:
    scripted_llm.play(scripted_llm.cut_after(["A stack has a **top** [1], ", "and a queue"]))
    ask(page)
    answer = page.get_by_test_id("answer-html")
    expect(answer).to_contain_text("and a")
    expect(page.get_by_test_id("degraded")).to_have_attribute("data-stage", "language_model_incomplete")
