"""No page for people holds a word that only who builds such systems knows, but under Details."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from console_client import logged_in, page_addresses
from served_platform import Served

from vta.types import CourseId, FaqDraft

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"
FORBIDDEN = re.compile(
    r"\b(alpha|beta|bm25|p50|p95|chain.of.teach|trace|grounding|threshold|webhook|weight|regular expression"
    r"|negative questions?|calibrate|chit-?chat score|degraded|intent|confidence|vectors?|embeddings?)\b"
    r"|\b[Sh] = |[αβ]|阈值|权重|置信|轮数|(?<!“)反例|意图|索引|向量",
    re.IGNORECASE,
)


class Shown(HTMLParser):
    """The words that a page shows outside details, labels and hints included."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("details", "script", "style")
        if not self._hidden:
            self.words += [
                value or "" for name, value in attrs if name in ("aria-label", "title", "placeholder")
            ]

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("details", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)


def forbidden(html: str) -> list[str]:
    shown = Shown()
    shown.feed(html)
    return [
        f"{found[0]!r} in {words.strip()!r}" for words in shown.words if (found := FORBIDDEN.search(words))
    ]


@pytest.fixture
def ann(api: Served) -> Iterator[httpx.Client]:
    """An instructor who is logged in."""
    with logged_in(api, COURSE) as client:
        yield client


def ask(api: Served, learner: int, question: str) -> dict[str, Any]:
    body = {"question": question, "learner_id": f"learner-{learner}"}
    return dict(api.client.post(f"/v1/courses/{COURSE}/dialogue", json=body).json())


def test_a_word_would_be_found_but_under_details() -> None:
    """In text and in labels; a script and what is folded do not count."""
    assert len(forbidden('<p>beta</p><button aria-label="Trace">x</button><h1>S = 0.3</h1><p>阈值</p>')) == 4
    assert (
        forbidden("<details><summary>Details</summary>beta</details><script>beta()</script><p>better</p>")
        == []
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_holds_such_a_word(api: Served, ann: httpx.Client, language: str) -> None:
    """With questions that wait, an entry, a tried draft, a conversation and what a change would do."""
    for learner in range(5):
        turn = ask(api, learner, "What is a stack?")["turn_id"]
        waiting = ask(api, learner, "When is the homework due on stacks?")["turn_id"]
    question = api.client.post(f"/v1/courses/{COURSE}/turns/{waiting}/ask-ta").json()["question_id"]
    draft = FaqDraft(question="When is the quiz?", answer="On Friday.", negative_questions=("And the exam?",))
    (entry,) = api.platform.stores.faq.add(COURSE, [draft], editor="Bo")
    ann.cookies.set("vta_language", language)
    opened = [ann.get(f"{HOME}/{part}") for part in (*page_addresses(), "graph/concept?name=stack")]
    opened += [ann.get(f"{HOME}/inbox/answer?q={question}"), ann.get(f"{HOME}/faq/{entry.id}")]
    opened += [ann.get(f"{HOME}/conversations/{turn}")]
    csrf = re.search(r'name="csrf" value="([^"]+)"', opened[0].text)
    assert csrf
    form = {"csrf": csrf[1], "question": "When is the homework due?", "answer": "Never."}
    opened += [ann.post(f"{HOME}/preview/draft", data=form)]
    opened += [ann.post(f"{HOME}/faq/new", data={**form, "action": "replay"})]
    for values in (
        {"beta": "99", "action": "replay"},
        {"beta": "0"},
        {"beta": "x"},
        {"alpha": "7"},
        {"relevance": "7"},
    ):
        opened += [ann.post(f"{HOME}/settings/thresholds", data={**form, **values})]
    assert {page.status_code for page in opened} == {200, 422}
    faults = [f"{page.url}: {fault}" for page in opened for fault in forbidden(page.text)]
    assert not faults, "\n".join(faults)


def test_the_sidebar_says_no_such_word() -> None:
    """Its texts in both languages; the names of the texts do not count."""
    texts = Path("services/sidebar/static/texts.js").read_text(encoding="utf-8")
    said = re.findall(r'"((?:[^"\\]|\\.)*)"', texts)
    assert len(said) > 100
    assert [text for text in said if FORBIDDEN.search(text)] == []
