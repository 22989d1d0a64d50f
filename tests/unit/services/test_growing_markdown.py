"""Markdown set while it is written: never a raw mark, never a word taken back, at the end the same page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from services.rendering.growing import GrowingMarkdown
from services.rendering.markdown import render_markdown

BLOCKS = [
    "A **stack** keeps *items*, and `pop` gives the last one [1].",
    "## Why a *stack*",
    "It costs $O(1)$ each, $$n^2$$ in all; see [the notes](https://a.example/x) [2][3].",
    "- one **bold `code`** item\n- two, with $x_1$\n  - nested *item*\n",
    "1. first\n2. second\n\n   goes on\n\n3. third",
    "```python\nstack = [1, 2]\n| x | y |\n$a$ **b**\n\nstack.pop()\n```",
    "$$\n\\sum_{i=1}^n i = \\frac{n(n+1)}{2}\n$$",
    "| case | cost |\n|:---|---:|\n| push | $O(1)$ |\n| **pop** | `1` |",
    "> It is *last in,\n> first out*.",
    "**注意：**栈**（Stack）**是*后进先出*的，代价为 $O(1)$，见 `pop` [1]。",
    "***Both*** and ~~neither~~ 😀 of 3 * 4 snake_case_names & Q&A, 5 < 6.",
    "---",
]  # fmt: skip


class Page:
    """What a browser holds that applies the changes; `keep` counts UTF-16 code units, as it does."""

    def __init__(self) -> None:
        self._growing = GrowingMarkdown()
        self._html = b""

    def add(self, piece: str) -> str:
        if change := self._growing.add(piece):
            self._html = self._html[: 2 * change.keep] + change.html.encode("utf-16-le")
        return self.html

    @property
    def html(self) -> str:
        return self._html.decode("utf-16-le")


def words(html: str) -> str:
    """What is read: no tags, no space."""
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_data = seen.append  # type: ignore[method-assign]
    parser.feed(html)
    return re.sub(r"\s", "", "".join(seen))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_word_that_was_shown_stays_where_it_is(block: str) -> None:
    """So nothing flickers and no mark is ever seen: each page begins with the words of the page before."""
    page, before = Page(), ""
    for piece in block:
        now = words(page.add(piece))
        assert now.startswith(before), (before, now)
        before = now
    assert words(render_markdown(block)).startswith(before)


@given(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_page_ends_as_the_finished_answer(blocks, random):
    """However the text is cut into pieces."""
    text = "\n\n".join([*blocks, "The end.", ""])
    page = Page()
    while text:
        size = random.randint(1, 12)
        page.add(text[:size])
        text = text[size:]
    assert page.html == render_markdown("\n\n".join([*blocks, "The end.", ""]))


@given(st.lists(st.sampled_from([*"*_`$[]()<>|#-~\\&1.\n aé😀", "\n\n", "```", "$$", "\r\n"]), max_size=60))
def test_text_of_any_kind_is_set(pieces):
    """Marks without an end hold nothing back for ever: a paragraph later all is as it will be."""
    page = Page()
    for piece in [*pieces, "\n\n", "Done"]:
        page.add(piece)
    assert words(page.html).endswith("Done") or "```" in pieces or "$$" in "".join(pieces)


@pytest.mark.parametrize(("text", "shown"), [
    ("a price of $5 and " + "more words " * 30, "$5"),
    ("an array a[i and " + "more words " * 30, "a[i"),
    ("an [unfinished", "an"),
    ("some `code", "<code>code</code>"),
    ("```py\nx = 1", '<code class="language-py">x = 1'),
])  # fmt: skip
def test_what_is_not_closed_waits_for_a_while(text: str, shown: str) -> None:
    assert shown in Page().add(text)


def test_attacks_are_harmless_at_every_moment() -> None:
    page = Page()
    for piece in "**<img src=x onerror=alert(1)> [x](javascript:alert(1)) <script>a</script>**":
        assert not re.search(r"<(img|script)|href", page.add(piece))
    assert "alert(1)" in words(page.html)


@pytest.mark.parametrize("piece", ["*a", "[", "`a", "- a\n", "|", "word "])
def test_endless_marks_cost_little(piece: str, monkeypatch) -> None:
    """The setting runs beside all other requests: a model gone wild must not hold them up."""
    parsed: list[int] = []
    parse = MarkdownIt.parse
    monkeypatch.setattr(MarkdownIt, "parse", lambda self, src: parsed.append(len(src)) or parse(self, src))
    growing = GrowingMarkdown()
    for _ in range(6000):
        growing.add(piece)
    assert len(parsed) > 100
    assert max(parsed) < 20_000
    assert sum(parsed) < 300_000
