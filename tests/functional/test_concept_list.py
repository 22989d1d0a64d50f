"""The list of concepts in the console: ordered, filtered, and decided by the page, in a real browser."""

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
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
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
BY_USE = ["root", "leaf", "branch", "trunk", "sap"]


def concept(name: str, score: float = 0.9, definition: str = "", document: str = "1-roots.md") -> Concept:
    place = {"document": document, "first_seen": document, "locator": Locator(heading_path=("Parts",))}
    return make.concept(name, course=COURSE.id, definition=definition, score=score, built=True, **place)


def build(api: Served, concepts: Sequence[Concept], edges: Sequence[ConceptEdge] = ()) -> None:
    texts = {"1-roots.md": TEXTS, "2-crown.md": (CROWN,)}
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
    return [unescape(each) for each in re.findall(r'/graph/concept\?name=[^"]+">([^<]+)</a>', page.text)]


def cells(page: httpx.Response, column: str) -> list[str]:
    return re.findall(rf'data-testid="{column}">([^<]*)<', page.text)


@pytest.mark.parametrize(
    ("asked_for", "listed"),
    [
        ("", BY_USE),
        ("order=sure", ["branch", "leaf", "trunk", "root", "sap"]),
        ("order=name", sorted(CONCEPTS)),
        ("order=nonsense&unit=99&explained=x&decided=2", BY_USE),
        ("explained=yes", ["root", "branch"]),
        ("explained=no", ["leaf", "trunk", "sap"]),
        ("decided=no", ["root", "leaf", "trunk", "sap"]),
        ("decided=yes", ["branch"]),
        ("unit=1", ["leaf", "branch"]),
        ("unit=0&explained=no&order=name", ["sap", "trunk"]),
        ("search=drinks", ["root"]),
        ("search=nothing", []),
    ],
)
def test_the_list_is_ordered_and_filtered(api: Served, asked_for: str, listed: list[str]) -> None:
    """By the passages that name a concept where nobody asked; what an address says wrongly is as usual."""
    with logged_in(api, COURSE.id) as ann:
        csrf = token(ann.get(PAGE))
        ann.post(PAGE, data={"csrf": csrf, "decision": "accept", "concept": "branch"})
        page = ann.get(f"{PAGE}?{asked_for}")
        assert names(page) == listed
        if not asked_for:
            assert cells(page, "places") == ["4", "3", "2", "1", "1"]
            assert "1-roots.md" in page.text
            assert "A branch &lt;b&gt;bears" in page.text


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
    assert cells(page, "asked") == ["5", "", ""]


def ask(api: Served, text: str, learner: str) -> None:
    question = {"question": text, "learner_id": learner}
    assert api.client.post(f"/v1/courses/{COURSE.id}/dialogue", json=question).status_code == 200


def test_what_is_ticked_is_accepted_removed_and_undone_in_one_press(api: Served) -> None:
    """Also without an explanation; what was accepted before is left alone, and outlives the next build."""
    with logged_in(api, COURSE.id) as ann:
        csrf = token(ann.get(PAGE))

        def press(decision: str, *ticked: str, **more: str) -> httpx.Response:
            data = {"csrf": csrf, "decision": decision, "concept": list(ticked), **more}
            return ann.post(f"{PAGE}?order=name", data=data, follow_redirects=True)

        assert "1 accepted." in press("accept", "sap").text
        done = press("accept", "sap", "root", "leaf", "leaf")
        assert "3 accepted." in done.text
        assert done.url.params["order"] == "name"
        assert known(api) == {"branch": False, "leaf": True, "root": True, "sap": True, "trunk": False}
        edits = [each.recorded.edit for each in api.platform.graphs.edits(COURSE.id)]
        assert [(each.name, each.definition) for each in edits] == [
            ("sap", ""), ("root", ""), ("leaf", "")
        ]  # fmt: skip
        assert "2 removed." in press("reject", "sap", "trunk").text
        assert set(known(api)) == {"branch", "leaf", "root"}
        assert "Undone." in press("undo", number="5").text
        assert {"sap", "trunk"} <= known(api).keys()
        assert "colleague" in press("undo", number="5").text
        ann.post(f"{PAGE}/undo", data={"csrf": csrf})
        assert [name for name, decided in known(api).items() if decided] == ["sap"]
        press("accept", all="1")
        assert set(known(api).values()) == {True}
        build(api, [concept("twig")])
        assert set(known(api)) == {"twig", *CONCEPTS}


def test_a_page_is_settled_in_one_press(api: Served) -> None:
    """The ticked are accepted, the others shown removed unless a person confirmed them; one undo for all."""
    with logged_in(api, COURSE.id) as ann:
        csrf = token(ann.get(PAGE))
        ann.post(PAGE, data={"csrf": csrf, "decision": "accept", "concept": "sap"})
        page = {"csrf": csrf, "decision": "settle", "shown": ["root", "leaf", "sap"]}
        assert ann.post(PAGE, data=page).status_code == 422
        assert len(known(api)) == 5
        settled = ann.post(PAGE, data={**page, "concept": "leaf"}, follow_redirects=True)
        assert "1 accepted, 1 removed." in settled.text
        assert known(api) == {"branch": False, "leaf": True, "sap": True, "trunk": False}
        ann.post(f"{PAGE}/undo", data={"csrf": csrf})
        assert known(api) == {"branch": False, "leaf": False, "root": False, "sap": True, "trunk": False}
        assert ann.get(PAGE).text.count('name="shown"') == 5
        edges = {"csrf": csrf, "several": "1", "decision": "settle", "pair": "root\ttrunk"}
        assert ann.post(f"{PAGE}/prerequisites", data=edges).status_code == 422


@pytest.mark.parametrize(
    ("form", "status", "said"),
    [
        ({"decision": "accept", "concept": ["root", "gone"]}, 404, "“gone”"),
        ({"decision": "reject", "concept": ["root", "roots"]}, 404, "“roots”"),
        ({"decision": "accept"}, 422, "Tick at least one first"),
        ({"decision": "burn", "concept": ["root"]}, 422, "burn"),
        ({"decision": "undo", "number": "x"}, 422, "x"),
    ],
)
def test_a_press_that_cannot_be_carried_out_changes_nothing(
    api: Served, form: dict[str, list[str] | str], status: int, said: str
) -> None:
    """It names what is wrong; a concept is meant by its own name alone."""
    with logged_in(api, COURSE.id) as ann:
        refused = ann.post(PAGE, data={"csrf": token(ann.get(PAGE)), **form})
    assert refused.status_code == status
    fault = re.search(r'data-testid="fault">([^<]*)<', refused.text)
    assert fault
    assert said.lower() in unescape(fault[1]).lower()
    assert api.platform.graphs.edits(COURSE.id) == ()


def test_prerequisites_are_decided_by_the_page_too(api: Served) -> None:
    """Accepted, removed and put back together; one that is gone is named, and nothing is done then."""
    address = f"{PAGE}/prerequisites"

    def edges() -> dict[str, bool]:
        return {each.concept: each.curated for each in api.platform.graphs.concepts(COURSE.id)[1]}

    with logged_in(api, COURSE.id) as ann:
        csrf = token(ann.get(address))

        def press(decision: str, *pairs: str, **more: str) -> httpx.Response:
            data = {"csrf": csrf, "several": "1", "decision": decision, "pair": list(pairs), **more}
            return ann.post(address, data=data, follow_redirects=True)

        gone = press("accept", "root\ttrunk", "root\tsap")
        assert (gone.status_code, edges()) == (404, {"trees:leaf": False, "trees:trunk": False})
        assert "sap" in gone.text
        assert press("accept").status_code == 422
        assert "2 accepted." in press("accept", "root\ttrunk", "root\tleaf").text
        assert edges() == {"trees:leaf": True, "trees:trunk": True}
        assert "Undone." in press("undo", number="2").text
        assert edges() == {"trees:leaf": False, "trees:trunk": False}
        assert "2 removed." in press("reject", all="1").text
        assert edges() == {}
        press("accept", "root\ttrunk", "root\tleaf")
        assert edges() == {"trees:leaf": True, "trees:trunk": True}


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_is_ticked_and_decided(api: Served, browser_page: Page, scripts: bool) -> None:
    """All at once, or each by hand without scripts; the filter stays, and one button takes it back."""
    browser = browser_page.context.browser
    assert browser is not None
    page = browser.new_context(java_script_enabled=scripts, locale="en").new_page()
    open_console(api, page, "graph", COURSE.id)
    page.get_by_test_id("decided").select_option("no")
    page.get_by_test_id("filter").click()
    boxes = page.get_by_test_id("choose")
    if scripts:
        page.get_by_test_id("choose-all").check()
        expect(page.locator("[data-chosen]")).to_have_text("5 chosen:")
        boxes.nth(1).uncheck()
        expect(page.locator("[data-chosen]")).to_have_text("4 chosen:")
    else:
        expect(page.get_by_test_id("choose-all")).to_be_hidden()
        for at in (0, 2, 3, 4):
            boxes.nth(at).check()
    page.get_by_test_id("accept-chosen").click()
    expect(page.get_by_test_id("done")).to_contain_text("4 accepted.")
    expect(boxes).to_have_count(1)
    assert [name for name, decided in known(api).items() if not decided] == ["leaf"]
    page.get_by_test_id("undo-done").click()
    expect(page.get_by_test_id("done")).to_contain_text("Undone.")
    expect(boxes).to_have_count(5)
    assert set(known(api).values()) == {False}
    page.context.close()


@pytest.mark.browser
def test_the_list_is_gone_through_by_keys(api: Served, browser_page: Page) -> None:
    """j and k move between the boxes, the space bar ticks, and r removes what is ticked."""
    open_console(api, browser_page, "graph", COURSE.id)
    page, boxes = browser_page, browser_page.get_by_test_id("choose")
    page.get_by_test_id("search").press_sequentially("ra")
    boxes.first.focus()
    for key in ("j", "j", " ", "k", " "):
        page.keyboard.press(key)
    expect(page.locator("[data-chosen]")).to_have_text("2 chosen:")
    page.keyboard.press("r")
    expect(page.get_by_test_id("done")).to_contain_text("2 removed.")
    assert set(known(api)) == {"root", "trunk", "sap"}


@pytest.mark.browser
def test_what_was_decided_by_key_is_not_ticked_again(api: Served, browser_page: Page) -> None:
    """All on the page are ticked but the prerequisite that was removed by a key just now."""
    open_console(api, browser_page, "graph/prerequisites", COURSE.id)
    cards = browser_page.get_by_test_id("edge")
    expect(cards.nth(0)).to_be_focused()
    browser_page.keyboard.press("x")
    expect(browser_page.locator("[data-chosen]")).to_have_text("1 chosen:")
    browser_page.keyboard.press("r")
    expect(cards.nth(0)).to_have_attribute("data-number", "1")
    browser_page.get_by_test_id("choose-all").check()
    expect(browser_page.locator("[data-chosen]")).to_have_text("1 chosen:")
    browser_page.get_by_test_id("accept-chosen").click()
    expect(browser_page.get_by_test_id("done")).to_contain_text("1 accepted.")
    assert [each.curated for each in api.platform.graphs.concepts(COURSE.id)[1]] == [True]
