"""The list of concepts in the console: ordered, searched, and decided by single presses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import factories as make
import httpx
import pytest
from console_client import logged_in, open_console, token
from playwright.sync_api import Page, expect
from served_platform import Serve, Served

from services.documents.rows import BUILT_GRAPH
from services.indexing.stored_knowledge import StoredKnowledge
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge, RejectConcept
from vta.types.courses import Course, CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator

COURSE = Course(id=CourseId("trees"), name="Trees", domains=("cs",), language=Language.EN)
PAGE = f"/console/{COURSE.id}/graph"
TEXTS = (
    "Roots and a trunk.",
    "A root, a leaf.",
    "The leaf of the root.",
    "A branch <b> bears twigs.",
    "A root drinks sap, or juice.",
)
CROWN = "A leaf. A branch <b>bears</b>."
CONCEPTS = {"root": 0.7, "leaf": 0.9, "branch": 0.95, "trunk": 0.8, "sap": 0.6}
BY_USE = ["root", "leaf", "branch", "sap", "trunk"]


def concept(name: str, score: float = 0.9, definition: str = "", document: str = "1-roots.md") -> Concept:
    place = {"document": document, "first_seen": document, "locator": Locator(heading_path=("Parts",))}
    return make.concept(name, course=COURSE.id, definition=definition, score=score, built=True, **place)


def build(
    api: Served, concepts: Sequence[Concept], edges: Sequence[ConceptEdge] = (), said: str = ""
) -> None:
    texts = {"1-roots.md": (*TEXTS, said) if said else TEXTS, "2-crown.md": (CROWN,)}
    files = [
        CourseDocument(
            path=path,
            sha256="0",
            pairs=tuple(make.passage(text, "Parts", course=COURSE.id, document=path) for text in said),
        )
        for path, said in texts.items()
    ]
    built = CourseDocument(path=BUILT_GRAPH, sha256="0", concepts=tuple(concepts), edges=tuple(edges))
    api.platform.stores.documents.apply(COURSE.id, put=[*files, built])


@pytest.fixture
def api(serve: Serve) -> Served:
    api = serve()
    api.platform.stores.courses.add(COURSE)
    explained = {"root": "A root drinks.", "branch": "A branch <b>bears</b>."}
    crown = {"leaf", "branch"}
    build(
        api,
        [
            concept(name, score, explained.get(name, ""), "2-crown.md" if name in crown else "1-roots.md")
            for name, score in CONCEPTS.items()
        ],
        [make.edge("root", after, 0.5, course=COURSE.id) for after in ("trunk", "leaf")],
    )
    return api


def known(api: Served) -> dict[str, bool]:
    """The concepts of the course now, and whether a person decided on them."""
    return {each.name: each.curated for each in api.platform.graphs.concepts(COURSE.id)[0]}


def names(page: httpx.Response) -> list[str]:
    return [unescape(each) for each in re.findall(r'data-testid="name">([^<]+)<', page.text)]


def cells(page: httpx.Response, column: str) -> list[str]:
    return re.findall(rf'data-testid="{column}">([^<]*)<', page.text)


@pytest.mark.parametrize(("search", "listed"), [("", BY_USE), ("drinks", ["root"]), ("nothing", [])])
def test_the_list_is_ordered_by_use_and_searched(api: Served, search: str, listed: list[str]) -> None:
    """By the passages that name a concept where nobody asked, then in the order of teaching."""
    with logged_in(api, COURSE.id) as ann:
        page = ann.get(PAGE, params={"search": search})
        assert names(page) == listed
        if not search:
            assert cells(page, "places") == [f"passages: {n}" for n in (4, 3, 2, 1, 1)]
            assert "A branch &lt;b&gt;bears" in page.text


def test_fifty_are_shown_and_the_rest_is_found_by_search(api: Served) -> None:
    """The page says how many more there are."""
    called = [f"c{n:03}" for n in range(60)]
    build(api, [concept(name) for name in called], said=", ".join(called))
    with logged_in(api, COURSE.id) as ann:
        page, found = ann.get(PAGE), ann.get(f"{PAGE}?search=c059")
    assert names(page) == called[:50]
    assert "10 more" in page.text
    assert names(found) == ["c059"]
    assert 'data-testid="more"' not in found.text


def test_what_students_ask_about_comes_first_if_enough_of_them_asked(api: Served) -> None:
    """Five people asked about sap, also under its old name, and four about the trunk, which is not shown."""
    build(api, [replace(concept("sap"), aliases=("juice",)), concept("trunk"), concept("root")])
    for about, people in (("sap", 3), ("trunk", 4)):
        for person in range(people):
            ask(api, f"What is {about}?", f"{about}-{person}")
    for person in range(2):
        ask(api, "What is juice?", f"juice-{person}")
    with logged_in(api, COURSE.id) as ann:
        page = ann.get(PAGE)
    assert names(page) == ["sap", "root", "trunk"]
    assert cells(page, "asked") == ["asked in 30 days: 5"]


def ask(api: Served, text: str, learner: str) -> None:
    question = {"question": text, "learner_id": learner}
    assert api.client.post(f"/v1/courses/{COURSE.id}/dialogue", json=question).status_code == 200


def edges(api: Served) -> set[str]:
    return {each.concept.split(":")[1] for each in api.platform.graphs.concepts(COURSE.id)[1]}


def test_each_press_leads_back_to_the_list_without_scripts(api: Served) -> None:
    """With its search, and with an undo for this press alone; what was accepted outlives the next build."""
    with logged_in(api, COURSE.id) as ann:
        csrf = token(ann.get(PAGE))

        def press(place: str = "edits", **fields: str) -> httpx.Response:
            data = {"csrf": csrf, "search": "", **fields}
            return ann.post(f"{PAGE}/{place}", data=data, follow_redirects=True)

        right = press(kind="add", name="sap", concept="sap", definition="", search="sap")
        assert dict(right.url.params) == {"search": "sap", "changed": "1"}
        assert (names(right), known(api)["sap"]) == (["sap"], True)
        assert 'name="number" value="1"' in right.text
        press(kind="unlink", prerequisite="root", concept="trunk")
        assert edges(api) == {"leaf"}
        assert press("undo", number="1").status_code == 409
        press("undo", number="2")
        assert edges(api) == {"leaf", "trunk"}
        press(kind="reject", concept="leaf", name="leaf", definition="")
        assert "leaf" not in known(api)
        build(api, [concept("twig")])
        assert known(api) == {"twig": False, "sap": True}


def test_a_press_of_a_script_waits_for_no_index(api: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its reply comes once the edit is stored; the page that is loaded next holds it."""
    with logged_in(api, COURSE.id) as ann:
        csrf = token(ann.get(PAGE))

        def press(place: str, **fields: str) -> int:
            data = {"csrf": csrf, "search": "", **fields}
            reply = ann.post(f"{PAGE}/{place}", data=data, headers={"Accept": "application/json"})
            return int(reply.json()["number"])

        with monkeypatch.context() as patched:
            patched.setattr(StoredKnowledge, "sync", lambda _: pytest.fail("the press waits"))
            assert press("edits", kind="reject", concept="leaf", name="leaf") == 1
            assert press("edits", kind="reject", concept="sap", name="sap") == 2
            assert press("undo", number="2") == 2
        assert names(ann.get(PAGE)) == [each for each in BY_USE if each != "leaf"]


@pytest.mark.parametrize(
    ("place", "form", "status", "said"),
    [
        ("edits", {"kind": "reject", "concept": "gone"}, 404, "“gone”"),
        ("edits", {"kind": "burn", "concept": "root"}, 422, "burn"),
        ("undo", {"number": "x"}, 422, "x"),
        ("undo", {"number": "7"}, 409, "colleague"),
    ],
)
def test_a_press_that_cannot_be_carried_out_changes_nothing(
    api: Served, place: str, form: dict[str, str], status: int, said: str
) -> None:
    """It names what is wrong, above the list."""
    with logged_in(api, COURSE.id) as ann:
        data = {"csrf": token(ann.get(PAGE)), "search": "", **form}
        refused = ann.post(f"{PAGE}/{place}", data=data)
    assert refused.status_code == status
    fault = re.search(r'data-testid="fault">([^<]*)<', refused.text)
    assert fault
    assert said in unescape(fault[1])
    assert names(refused) == BY_USE
    assert api.platform.graphs.edits(COURSE.id) == ()


def test_only_prerequisites_that_students_see_are_shown(api: Served) -> None:
    """On the list and on the concept's page; the unsure one is nowhere to be decided about."""
    build(api, [concept("root"), concept("leaf"), concept("trunk")], [
        make.edge("root", "leaf", 0.97, course=COURSE.id), make.edge("root", "trunk", 0.7, course=COURSE.id)
    ])  # fmt: skip
    with logged_in(api, COURSE.id) as ann:
        page = ann.get(PAGE).text
        assert page.count('data-testid="before"') == 1
        assert "Learn “root” before “leaf”" in unescape(page)
        shown = [ann.get(f"{PAGE}/concept?name={name}").text for name in ("leaf", "trunk", "root")]
        assert [each.count('data-testid="edge"') for each in shown] == [1, 0, 1]


@pytest.mark.browser
def test_the_list_is_decided_by_single_keys(api: Served, browser_page: Page) -> None:
    """Each works at once without a reload and goes on to the next; undo takes the last ones back in turn."""
    open_console(api, browser_page, "graph", COURSE.id)
    cards, keys = browser_page.get_by_test_id("concept"), browser_page.keyboard
    told, undo = browser_page.get_by_test_id("told"), browser_page.get_by_test_id("undo")
    expect(cards.nth(0)).to_be_focused()
    expect(undo).to_be_hidden()
    browser_page.evaluate("window.same = true")
    keys.press("y")
    expect(cards.nth(1)).to_be_focused()
    expect(cards.nth(0).get_by_test_id("decision")).to_have_text("Accepted.")
    expect(cards.nth(0).get_by_test_id("right")).to_be_hidden()
    for key in ("j", "k", "n"):
        keys.press(key)
    expect(told).to_contain_text("leaf: Removed.")
    keys.press("u")
    expect(told).to_have_text("Undone.")
    expect(cards.nth(1)).to_be_focused()
    expect(cards.nth(1).get_by_test_id("wrong")).to_be_visible()
    assert known(api) == {"root": True, "leaf": False, "branch": False, "trunk": False, "sap": False}
    undo.click()
    expect(cards.nth(0)).to_be_focused()
    assert not any(known(api).values())
    assert browser_page.evaluate("window.same") is True
    keys.press("e")
    browser_page.wait_for_url("**/graph/concept?name=root")


@pytest.mark.browser
def test_a_prerequisite_is_removed_on_its_concept(api: Served, browser_page: Page) -> None:
    """By one click, which undo takes back."""
    build(api, [concept("root"), concept("leaf")], [make.edge("root", "leaf", 0.97, course=COURSE.id)])
    open_console(api, browser_page, "graph", COURSE.id)
    before = browser_page.get_by_test_id("before")
    browser_page.get_by_test_id("unlink").click()
    expect(before).to_be_hidden()
    expect(browser_page.get_by_test_id("told")).to_contain_text("Learn “root” before “leaf”: Removed.")
    browser_page.get_by_test_id("undo").click()
    expect(before).to_be_visible()
    assert edges(api) == {"leaf"}


@pytest.mark.browser
def test_an_explanation_is_removed_alone(api: Served, browser_page: Page) -> None:
    """By one click, which undo takes back; the concept is still to be decided about."""
    open_console(api, browser_page, "graph", COURSE.id)
    card = browser_page.get_by_test_id("concept").nth(0)
    card.get_by_test_id("drop-explanation").click()
    expect(card.get_by_text("A root drinks.")).to_be_hidden()
    expect(card).to_be_focused()
    expect(browser_page.get_by_test_id("told")).to_contain_text("root: Explanation removed.")
    browser_page.get_by_test_id("undo").click()
    expect(card.get_by_text("A root drinks.")).to_be_visible()
    with browser_page.expect_response("**/graph/edits"):
        card.get_by_test_id("drop-explanation").click()
    with browser_page.expect_response("**/graph/edits"):
        browser_page.keyboard.press("y")
    found = {each.name: each for each in api.platform.graphs.concepts(COURSE.id)[0]}
    assert (found["root"].definition, found["root"].curated) == ("", True)


@pytest.mark.browser
def test_what_cannot_be_saved_says_so_on_the_page(api: Served, browser_page: Page) -> None:
    """A concept that a colleague removed meanwhile; its buttons stay, and the next press works."""
    open_console(api, browser_page, "graph", COURSE.id)
    told = browser_page.get_by_test_id("told")
    api.platform.graphs.record(COURSE.id, RejectConcept(concept="root"))
    browser_page.keyboard.press("n")
    expect(told).to_contain_text("root: ")
    expect(told).to_contain_text("no concept")
    expect(browser_page.get_by_test_id("wrong").first).to_be_visible()
    browser_page.keyboard.press("y")
    expect(told).to_contain_text("leaf: Accepted.")
