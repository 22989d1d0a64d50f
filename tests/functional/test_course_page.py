"""The course page: contents, documents as they read, search, places of citations; for its students alone."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from chromium import ask, unfold
from playwright.sync_api import Page, expect
from served_platform import Serve
from small_platform import COURSES
from sql_stores import lti_platform
from uploading import ended, upload

from services.lti.launch_store import LearnerVisit
from services.materials.course_reading import PASSAGES_PER_PART
from services.people.tokens import cookie_name
from vta.types.courses import CourseId

PAGES = "/courses/stacks-en/pages"
UNDONE = "the last command is undone first"
LECTURE = (
    "1\n00:00:01,000 --> 00:00:05,000\nWelcome to the lecture.\n\n"
    "2\n00:02:01,000 --> 00:02:09,000\nA heap is a tree that keeps its largest value at the root.\n"
)
STEPS = [f"## Step {n}\n\nStep {n} is simple.\n\n" for n in range(PASSAGES_PER_PART + 5)]
LONG = "".join(["# Sorting\n\n", *STEPS])
UNDO = "## Undo\n\nEditors keep commands on a stack: the last command is undone first, as it lies on top.\n"
ODD = 'notes/a "b"&é #1.md'


def more(**files: str) -> dict[str, object]:
    course, own = COURSES["stacks-en"]
    return {"stacks-en": (course, {**own, **files})}


def test_the_contents_name_the_documents_and_no_faq(serve: Serve) -> None:
    """By unit, each with its headings, in both languages; the other language is one address away."""
    client = serve().client
    page = client.get("/courses/stacks-en").text
    assert ">Stacks</a>" in page
    assert ">Undo</a>" in page
    assert "<h3" in page
    assert "faq.csv" not in page
    assert "certificate" not in page
    assert "目录" in client.get("/courses/stacks-en?lang=zh").text
    document = client.get(f"{PAGES}/notes/stack.md?lang=zh").text
    assert f'href="{PAGES}/notes/stack.md?lang=en"' in document


@pytest.mark.fault(case="T152")
def test_a_table_of_contents_orders_the_course(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and first questions follow it, and forget it; a broken one is named and stops nothing.

    The child alone reads YAML.
    """
    monkeypatch.delattr("yaml.load")
    api, course = serve(more(**{"notes/heap.md": "A heap is a tree in an array.\n"})), CourseId("stacks-en")

    def named() -> list[tuple[str, str]]:
        return re.findall(r'notes/(\w+)\.md"[^>]*>([^<]+)<', api.client.get("/courses/stacks-en").text)

    def asked() -> str:
        return str(api.client.get("/v1/courses/stacks-en/sidebar").json()["first_questions"][0])

    before = (named(), asked())
    assert before == ([("heap", "Heap"), ("queue", "Queues"), ("stack", "Stacks")], "What is queue?")
    toc = b"root: stack\nchapters: [{file: heap, title: Heaps in arrays}]"
    files = {"notes/_toc.yml": toc, "notes/mkdocs.yml": b"nav: [", "new.md": b"# New\n\nA new page."}
    report = ended(api, course, upload(api, course, *files.items()), 20)["report"]
    assert report["added"] == ["new.md", "notes/_toc.yml"]
    (rejected,) = report["rejected"]
    assert "notes/mkdocs.yml, line 1: not readable as YAML" in rejected["reason"]
    assert named() == [("stack", "Stacks"), ("heap", "Heaps in arrays"), ("queue", "Queues")]
    assert asked() == "What is stack?"
    assert f'href="{PAGES}/notes/heap.md"' in api.client.get(f"{PAGES}/notes/stack.md").text
    assert api.client.get(f"{PAGES}/notes/_toc.yml").status_code == 404
    api.platform.materials.remove(course, "notes/_toc.yml")
    assert (named(), asked()) == before


def test_a_document_reads_as_it_was_written(serve: Serve) -> None:
    """Title, headings and text; markup of the material is never ours to run."""
    hostile = "# T\n\nA **bold** word <img src=x onerror=alert(1)> and [a link](javascript:a) to see.\n"
    files = {ODD: hostile, "v/02-heaps.srt": LECTURE}
    client = serve(more(**files)).client
    page = client.get(f"{PAGES}/notes/stack.md").text
    assert UNDONE in page
    assert "<h3>Undo</h3>" in page
    assert page.index("Both take constant time") < page.index("<h3>Undo</h3>") < page.index(UNDONE)
    odd = client.get(f"{PAGES}/{quote(ODD)}").text
    assert "<strong>bold</strong>" in odd
    assert "<img" not in odd
    assert 'href="javascript' not in odd
    spoken = client.get(f"{PAGES}/v/02-heaps.srt").text
    assert "Lecture 2, Heaps" in spoken
    assert 'data-second="1.0"' in spoken
    assert ">00:01</a>" in spoken


def test_a_long_document_comes_in_parts_and_a_place_finds_its_own(serve: Serve) -> None:
    client = serve(more(**{"notes/long.md": LONG})).client
    first = client.get(f"{PAGES}/notes/long.md").text
    assert "Step 0 is simple" in first
    assert f"Step {PASSAGES_PER_PART} is simple" not in first
    second = client.get(f"{PAGES}/notes/long.md?part=2").text
    assert f"Step {PASSAGES_PER_PART} is simple" in second
    place = client.get(f"{PAGES}/notes/long.md", params={"heading": f"Step {PASSAGES_PER_PART + 3}"}).text
    assert "data-here" in place
    assert f"Step {PASSAGES_PER_PART + 3} is simple" in place
    assert client.get(f"{PAGES}/notes/long.md?part=3").status_code == 404
    assert client.get(f"{PAGES}/notes/none.md").status_code == 404
    assert client.get(f"{PAGES}/faq.csv").status_code == 404


def test_a_search_finds_passages_and_marks_the_words(serve: Serve) -> None:
    client = serve().client
    found = client.get("/courses/stacks-en/search", params={"q": "printers <b>"}).text
    assert f'href="{PAGES}/notes/queue.md?at=' in found
    assert "<mark>Printers</mark>" in found
    assert "printers &lt;b&gt;" in found
    none = client.get("/courses/stacks-en/search", params={"q": "  "})
    assert none.status_code == 200
    assert 'data-testid="none-found"' in none.text


def test_only_those_who_may_ask_can_read(serve: Serve) -> None:
    """Where the sidebar is not open, the page shows no name of a document, and no document and no search."""
    client = serve(open_sidebar=False).client
    page = client.get("/courses/stacks-en").text
    assert 'data-testid="closed"' in page
    assert "Undo" not in page
    assert client.get(f"{PAGES}/notes/stack.md").status_code == 401
    assert client.get("/courses/stacks-en/search?q=stack").status_code == 401


def test_a_learner_who_was_launched_can_read(serve: Serve) -> None:
    """The cookie of one course opens that course alone."""
    api = serve(open_sidebar=False)
    known = lti_platform(api.platform.stores)
    course = CourseId("stacks-en")
    visit = LearnerVisit(course_id=course, learner_id="visitor:1", platform_id=known.id)
    cookie = {"Cookie": f"{cookie_name(course)}={api.platform.stores.visits.open(visit)}"}
    assert "Undo" in api.client.get("/courses/stacks-en", headers=cookie).text
    assert api.client.get(f"{PAGES}/notes/stack.md", headers=cookie).status_code == 200
    assert 'data-testid="closed"' in api.client.get("/courses/stacks-zh", headers=cookie).text


@pytest.mark.browser
def test_a_citation_opens_its_place_with_the_cited_words_marked(serve: Serve, browser_page: Page) -> None:
    """In the passage and on the page beside it, in view; the conversation stays, and so does the way back."""
    page = browser_page
    page.goto(f"{serve().address}/courses/stacks-en")
    ask(page, "Why do editors use a stack for undo?")
    page.get_by_test_id("citation-marker").first.click()
    expect(page.get_by_test_id("passage-text").locator("mark").first).to_contain_text(UNDONE)
    expect(page.get_by_test_id("document").get_by_role("heading", level=2)).to_have_text("Stacks")
    marked = page.locator("[data-here] mark").first
    expect(marked).to_contain_text(UNDONE)
    expect(marked).to_be_in_viewport()
    expect(page.get_by_test_id("question")).to_have_count(1)
    page.go_back()
    expect(page.get_by_test_id("contents")).to_be_visible()
    expect(page.get_by_test_id("question")).to_have_count(1)


@pytest.mark.browser
def test_on_a_phone_the_passage_leads_to_the_page(serve: Serve, browser_page: Page) -> None:
    """The view changes, and the marked words are in it; nothing is wider than the screen."""
    page = browser_page
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{serve(more(**{'notes/stack.md': LONG + UNDO})).address}/courses/stacks-en?lang=zh")
    page.get_by_test_id("view-assistant").click()
    ask(page, "Why do editors use a stack for undo?")
    page.get_by_test_id("citation-marker").first.click()
    page.get_by_test_id("passage-page").click()
    marked = page.locator("[data-here] mark").first
    expect(marked).to_be_in_viewport()
    expect(marked).to_contain_text(UNDONE)
    assert "lang=zh" in page.url
    assert page.locator("main").evaluate("main => main.scrollWidth - main.clientWidth") == 0


@pytest.mark.browser
def test_a_student_reads_searches_and_asks_about_the_page(serve: Serve, browser_page: Page) -> None:
    """From the contents to a document, to the next, a question about it and a search, in one conversation."""
    page = browser_page
    page.goto(f"{serve().address}/courses/stacks-en")
    page.get_by_test_id("chapter-link").first.click()
    expect(page.get_by_test_id("document")).to_be_visible()
    page.get_by_test_id("document-after").click()
    expect(page).to_have_url(f"{page.url.partition('/pages')[0]}/pages/notes/stack.md")
    expect(page.locator("vta-sidebar")).to_have_attribute("unit", "notes/stack.md")
    question = page.get_by_test_id("page-question").first.inner_text()
    assert "stack" in question
    page.get_by_test_id("page-question").first.click()
    expect(page.get_by_test_id("question")).to_have_text([question])
    page.get_by_test_id("search").fill("printers")
    page.get_by_test_id("search").press("Enter")
    page.get_by_test_id("hit").first.click()
    expect(page.locator("[data-here]")).to_contain_text("Printers")
    expect(page.get_by_test_id("question")).to_have_count(1)
    page.reload()
    expect(page.locator("[data-here]")).to_be_in_viewport()
    unfold(page, "citations")


@pytest.mark.parametrize(
    ("language", "words"), [("zh-CN,zh;q=0.9", "教师与助教登录"), ("en-GB", "For instructors and TAs")]
)
def test_the_first_page_lists_what_is_open_and_leads_to_the_console(
    serve: Serve, language: str, words: str
) -> None:
    """Not a course that is archived; in the language of the browser; a monitor may ask for its head alone."""
    api = serve()
    api.platform.stores.courses.set_archived(CourseId("stacks-zh"), True)
    page = api.client.get("/", headers={"Accept-Language": language})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert 'href="/courses/stacks-en"' in page.text
    assert "stacks-zh" not in page.text
    assert words in page.text
    assert api.client.get(
        page.text.split('data-testid="console"')[0].split('href="')[-1].split('"')[0]
    ).is_redirect
    assert [api.client.head(path).status_code for path in ("/", "/embed.js")] == [200, 200]


def test_the_first_page_names_no_course_that_is_closed_to_the_reader(serve: Serve) -> None:
    assert "stacks" not in serve(open_sidebar=False).client.get("/").text.lower()
