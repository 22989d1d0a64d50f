"""What the console says when something is wrong: on a page, in the reader's language, and what was done."""

from __future__ import annotations

import re

import httpx
import pytest
from console_client import form_token, logged_in, token
from served_platform import Served

from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"


@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("faq/nothing", 404, "Page not found"),
        ("inbox/answer?q=nothing", 404, "Page not found"),
        ("graph/undo", 405, "Page not found"),
        ("analytics?from=x", 422, "Invalid input"),
    ],
)
def test_a_fault_is_a_page_with_a_way_on(ann: httpx.Client, path: str, status: int, title: str) -> None:
    """A browser gets no JSON: what is wrong, and the way back to the inbox."""
    shown = ann.get(f"{HOME}/{path}")
    assert shown.status_code == status
    assert f"<h1>{title}</h1>" in shown.text
    assert f'href="{HOME}/inbox"' in shown.text
    assert "urn:vta" not in shown.text
    assert shown.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_program_gets_the_problem(api: Served, ann: httpx.Client) -> None:
    """Whoever does not ask for HTML, or asks outside the console, is told in JSON as ever."""
    machine = ann.get(f"{HOME}/faq/nothing", headers={"Accept": "application/json"})
    assert machine.json()["code"] == "not_found"
    assert ann.get("/v1/courses/nothing/graph").json()["code"] == "not_found"
    unknown = ann.get("/console/a/b/c/d")
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "text/html; charset=utf-8")


def test_faults_of_forms_are_in_the_readers_language(api: Served, ann: httpx.Client) -> None:
    """In Chinese no English stands on the page of a form that was refused."""
    ann.get("/console/language/zh")
    csrf = form_token(ann)
    api.platform.stores.faq.add(COURSE, [FaqDraft(question="q", answer="a")], editor="Bo")
    for path, form, words in (
        ("faq/new", {"action": "save", "question": "q", "answer": " "}, "回答是空的。"),
        ("faq/new", {"action": "save", "question": "q", "answer": "b"}, "已有另一条问答"),
        ("preview", {"question": " "}, "问题是空的。"),
        ("settings/thresholds", {"alpha": "", "beta": "-1"}, "须在 0 到 100 之间"),
        ("graph/edits", {"kind": "link", "prerequisite": "queue", "concept": "linear list"}, "循环"),
        ("graph/edits", {"kind": "add", "name": "stack"}, "已经是课程中的概念"),
    ):
        refused = ann.post(f"{HOME}/{path}", data={"csrf": csrf, "about": "queue", **form})
        found = re.search(r'data-testid="fault">([^<]*)<', refused.text)
        assert found, refused.text
        assert words in found[1]


def test_the_other_language_stays_on_the_page(ann: httpx.Client) -> None:
    """With what was searched for; after a form, on the page that it stands on."""
    link = re.compile(r'href="(/console/language/zh[^"]*)"')
    searched = link.search(ann.get(f"{HOME}/faq?search=stack").text)
    assert searched
    assert ann.get(searched[1].replace("&amp;", "&")).headers["location"] == f"{HOME}/faq?search=stack"
    csrf = token(ann.get(f"{HOME}/settings"))
    refused = ann.post(f"{HOME}/settings/thresholds", data={"csrf": csrf, "alpha": "-1", "beta": ""})
    after = re.search(r'href="(/console/language/[^"]*)"', refused.text)
    assert after
    assert ann.get(after[1].replace("&amp;", "&")).headers["location"] == f"{HOME}/settings"


def test_whoever_was_logged_out_comes_back_to_a_page(api: Served, ann: httpx.Client) -> None:
    """After a form in a session that is over, the log-in leads to the page of the form."""
    ann.post("/console/log-out")
    sent = ann.post(f"{HOME}/settings/thresholds", data={"alpha": "1"})
    assert sent.headers["location"] == f"/console/log-in?next={HOME}/settings"


def test_the_history_shows_what_changed_beside_the_answer(api: Served, ann: httpx.Client) -> None:
    """A version that only has another negative question says so."""
    faq = api.platform.stores.faq
    (entry,) = faq.add(COURSE, [FaqDraft(question="q", answer="a")], editor="Bo")
    more = FaqDraft(question="q", answer="a", negative_questions=("not this",))
    faq.edit(COURSE, entry.id, more, editor="Bo", expected=1)
    assert "Does not answer: <ins>not this</ins>" in ann.get(f"{HOME}/faq/{entry.id}").text


def test_a_new_course_says_that_it_is_empty(api: Served) -> None:
    """Every list of a course without anything says so."""
    course = Course(id=CourseId("new"), name="New", domains=("x",), language=Language.EN)
    api.platform.stores.courses.add(course)
    with logged_in(api, course.id) as client:
        for part in ("inbox", "faq", "materials", "graph", "graph/edits", "analytics", "analytics/review"):
            assert 'class="empty"' in client.get(f"/console/new/{part}").text, part
