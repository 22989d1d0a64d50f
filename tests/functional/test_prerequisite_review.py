"""The page of the whole graph in a real browser: prerequisites accepted, rejected and taken back."""

from __future__ import annotations

from collections.abc import Sequence

import factories as make
import pytest
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Serve, Served

from services.documents.rows import BUILT_GRAPH
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge, LinkConcepts, UnlinkConcepts
from vta.types.courses import Course, CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator

COURSE = Course(id=CourseId("trees"), name="Trees", domains=("cs",), language=Language.EN)
PAGE = f"/console/{COURSE.id}/graph/prerequisites"

pytestmark = pytest.mark.browser


def concept(name: str, document: str = "1-roots.md") -> Concept:
    place = {"document": document, "locator": Locator(heading_path=(document[2:-3].title(),))}
    said = f"A {name} is defined here."
    return make.concept(name, course=COURSE.id, definition=said, score=0.9, built=True, **place)


def edge(before: str, after: str, score: float) -> ConceptEdge:
    evidence = (f"1-roots.md > Roots: The {after} needs <b>the {before}</b>.",)
    return make.edge(before, after, score, course=COURSE.id, evidence=evidence)


@pytest.fixture
def api(serve: Serve) -> Served:
    api = serve()
    api.platform.stores.courses.add(COURSE)
    return api


def build(api: Served, concepts: Sequence[Concept], edges: Sequence[ConceptEdge]) -> None:
    """A graph, and files that say its names and evidence."""
    said = [each.definition for each in concepts]
    said += [line.partition(": ")[2] for each in edges for line in each.evidence]
    files = [
        CourseDocument(
            path=path,
            sha256="0",
            pairs=(
                make.passage("\n".join(said), path[2:-3].title(), id=path, course=COURSE.id, document=path),
            ),
        )
        for path in sorted({each.document or "" for each in concepts} | {"1-roots.md"})
    ]
    document = CourseDocument(path=BUILT_GRAPH, sha256="0", concepts=tuple(concepts), edges=tuple(edges))
    api.platform.stores.documents.apply(COURSE.id, put=[*files, document])


def build_small(api: Served) -> None:
    concepts = [concept(name) for name in ("root", "trunk")] + [
        concept(name, "2-crown.md") for name in ("branch", "leaf")
    ]
    edges = [edge("root", "trunk", 0.99), edge("trunk", "branch", 0.88), edge("branch", "leaf", 0.7)]
    build(api, concepts, edges)


def known(api: Served) -> dict[tuple[str, str], bool]:
    """The prerequisites of the course now, and whether a person decided on them."""
    edges = api.platform.graphs.concepts(COURSE.id)[1]
    return {(each.prerequisite.split(":")[1], each.concept.split(":")[1]): each.curated for each in edges}


def test_a_teacher_decides_by_single_keys(api: Served, browser_page: Page) -> None:
    """The one nearest to the threshold comes first and has the focus; each key does what it says."""
    build_small(api)
    page, keys = browser_page, browser_page.keyboard
    open_console(api, page, "graph/prerequisites", COURSE.id)
    cards = page.get_by_test_id("edge")
    expect(cards.locator(".question")).to_have_text(
        [
            "Learn “trunk” before “branch”",
            "Learn “root” before “trunk”",
            "Learn “branch” before “leaf”",
        ]
    )
    expect(cards.nth(0)).to_be_focused()
    expect(cards.nth(0)).to_contain_text("Fairly sure (about 9 in 10) · students do not see it · Crown")
    keys.press("w")
    expect(cards.nth(0).locator("blockquote")).to_have_text("The branch needs <b>the trunk</b>.")
    assert cards.nth(0).locator("blockquote strong").all_inner_texts() == ["branch", "trunk"]
    expect(cards.nth(0)).to_contain_text("Place: 1-roots.md > Roots")
    keys.press("a")
    expect(cards.nth(0)).to_contain_text("Accepted.")
    expect(cards.nth(1)).to_be_focused()
    keys.press("j")
    expect(cards.nth(2)).to_be_focused()
    keys.press("r")
    expect(cards.nth(2)).to_contain_text("Removed.")
    expect(cards.nth(2)).to_have_attribute("data-number", "2")
    assert known(api) == {("trunk", "branch"): True, ("root", "trunk"): False}
    keys.press("u")
    expect(cards.nth(2)).to_contain_text("Undone.")
    keys.press("k")
    expect(cards.nth(1)).to_be_focused()
    keys.press("r")
    expect(cards.nth(1)).to_contain_text("Removed.")
    expect(cards.nth(1)).to_have_attribute("data-number", "3")
    assert known(api) == {("trunk", "branch"): True, ("branch", "leaf"): False}
    evidence = [each.evidence for each in api.platform.graphs.concepts(COURSE.id)[1] if each.curated]
    assert evidence == [("1-roots.md > Roots: The branch needs <b>the trunk</b>.",)]
    page.reload()
    expect(cards).to_have_count(1)


def test_keys_wait_for_the_focus_in_the_list(api: Served, browser_page: Page) -> None:
    """Nothing is decided while somebody writes in the search field."""
    build_small(api)
    open_console(api, browser_page, "graph/prerequisites", COURSE.id)
    browser_page.get_by_test_id("search").press_sequentially("bar")
    browser_page.get_by_test_id("search").press("Enter")
    expect(browser_page.get_by_test_id("edge")).to_have_count(0)
    assert not any(known(api).values())
    assert len(known(api)) == 3


def test_what_a_colleague_changed_meanwhile_is_not_undone(api: Served, browser_page: Page) -> None:
    """The card says why, and keeps what was decided on it."""
    build_small(api)
    open_console(api, browser_page, "graph/prerequisites", COURSE.id)
    cards = browser_page.get_by_test_id("edge")
    expect(cards.nth(0)).to_be_focused()
    browser_page.keyboard.press("a")
    expect(cards.nth(0)).to_have_attribute("data-number", "1")
    api.platform.graphs.record(COURSE.id, UnlinkConcepts(prerequisite="branch", concept="leaf"))
    browser_page.keyboard.press("u")
    expect(cards.nth(0)).to_contain_text("perhaps by a colleague")
    assert known(api) == {("trunk", "branch"): True, ("root", "trunk"): False}


def test_what_would_close_a_circle_is_refused_in_place(api: Served, browser_page: Page) -> None:
    """The reason stands on the card, whose buttons stay."""
    build_small(api)
    api.platform.graphs.record(COURSE.id, UnlinkConcepts(prerequisite="trunk", concept="branch"))
    api.platform.graphs.record(COURSE.id, LinkConcepts(prerequisite="leaf", concept="trunk"))
    open_console(api, browser_page, "graph/prerequisites?show=rejected", COURSE.id)
    card = browser_page.get_by_test_id("edge")
    expect(card).to_be_focused()
    browser_page.keyboard.press("a")
    expect(card).to_contain_text("cycle")
    expect(card.get_by_test_id("accept")).to_be_visible()
    expect(card.get_by_test_id("undo")).to_be_hidden()


def test_six_hundred_prerequisites_are_gone_through_by_page_and_unit(api: Served, browser_page: Page) -> None:
    """Fifty a page; a unit, chosen from the table of units, keeps its pages and has a picture."""
    units = [f"{n}-part.md" for n in range(1, 7)]
    concepts = [concept(f"c{n:03}", units[n * 6 // 601]) for n in range(601)]
    edges = [edge(f"c{n:03}", f"c{n + 1:03}", 0.5 + 0.0004 * n) for n in range(600)]
    build(api, concepts, edges)
    page = browser_page
    open_console(api, page, "graph/prerequisites", COURSE.id)
    cards = page.get_by_test_id("edge")
    expect(page.get_by_test_id("total")).to_have_text("600")
    expect(cards).to_have_count(50)
    expect(page.locator(".pages")).to_contain_text("1 / 12")
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".pages")).to_contain_text("2 / 12")
    page.get_by_test_id("units").click()
    expect(page.get_by_test_id("unit-row")).to_have_count(6)
    page.get_by_test_id("unit-row").nth(2).get_by_role("link").click()
    expect(page.locator(".pages")).to_contain_text("1 / 2")
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".pages")).to_contain_text("2 / 2")
    expect(page.get_by_test_id("picture")).to_have_js_property("complete", True)
    assert page.get_by_test_id("picture").evaluate("each => each.naturalWidth") > 0
    page.get_by_test_id("search").fill("c250")
    page.get_by_test_id("filter").click()
    expect(cards).to_have_count(2)
