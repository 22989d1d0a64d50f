"""What a language model proposed, in the console: a teacher accepts, changes or removes it."""

from __future__ import annotations

from collections.abc import Iterator

import factories as make
import httpx
import pytest
from console_client import logged_in, token
from served_platform import Serve, Served

from services.documents.rows import BUILT_GRAPH
from services.graph.proposals import ProposalBook, change_book
from vta.languages import Language
from vta.types.concepts import Concept, ExplainConcept
from vta.types.courses import Course, CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator

COURSE = Course(id=CourseId("trees"), name="Trees", domains=("cs",), language=Language.EN)
PAGE = f"/console/{COURSE.id}/graph/proposals"
PLACE = Locator(heading_path=("Roots",))
PASSAGE = "A root holds the tree. A trunk carries the crown. A trunk stands on roots."
WAITING, SHOWN = "A root is a <b>sea</b> animal.", "A trunk carries the crown."


def concept(name: str, definition: str = "") -> Concept:
    place = {"document": "roots.md", "locator": PLACE}
    return make.concept(name, course=COURSE.id, definition=definition, score=0.9, built=True, **place)


def proposed(book: ProposalBook) -> None:
    for name in ("root", "trunk", "leaf"):
        book.asked[concept(name).id] = concept(name)
    book.explain(concept("root", WAITING), supported=False)
    book.explain(concept("trunk", SHOWN), supported=True)


@pytest.fixture
def api(serve: Serve) -> Served:
    """A course of three concepts without an explanation, and what a model proposed for two of them."""
    api = serve()
    stores = api.platform.stores
    stores.courses.add(COURSE)
    pair = make.passage(PASSAGE, "Roots", id="0" * 20, course=COURSE.id, document="roots.md")
    built = tuple(concept(name) for name in ("root", "trunk", "leaf"))
    documents = [
        CourseDocument(path="roots.md", sha256="0", pairs=(pair,)),
        CourseDocument(path=BUILT_GRAPH, sha256="0", concepts=built),
    ]
    stores.documents.apply(COURSE.id, put=documents)
    change_book(stores.documents, COURSE.id, proposed)
    return api


@pytest.fixture
def client(api: Served) -> Iterator[httpx.Client]:
    with logged_in(api, COURSE.id) as client:
        yield client


def known(api: Served) -> dict[str, str]:
    """The explanations that students see."""
    concepts, _ = api.platform.graphs.concepts(COURSE.id)
    return {each.name: each.definition for each in concepts if each.definition}


def decide(client: httpx.Client, decision: str, **fields: str) -> httpx.Response:
    form = {"csrf": token(client.get(PAGE)), "decision": decision, **fields}
    return client.post(PAGE, data=form)


def test_what_waits_is_listed_with_its_passage_and_known_to_nobody(api: Served, client: httpx.Client) -> None:
    """What a passage supports is listed apart, as students see it."""
    page = client.get(PAGE).text
    assert "A root is a &lt;b&gt;sea&lt;/b&gt; animal." in page
    assert "A <strong>root</strong> holds the tree." in page
    assert page.index("In use") < page.rindex(SHOWN)
    assert known(api) == {"trunk": SHOWN}


def test_what_is_accepted_is_an_edit_of_the_graph(api: Served, client: httpx.Client) -> None:
    """In the words that the teacher left; and it waits no more."""
    mended = "A root holds the tree."
    assert decide(client, "accept", concept="root", definition=mended).status_code == 303
    assert known(api) == {"root": mended, "trunk": SHOWN}
    edits = [each.recorded.edit for each in api.platform.graphs.edits(COURSE.id)]
    assert edits == [ExplainConcept(concept="root", definition=mended)]
    assert [each.is_shown for each in api.platform.proposals.proposals(COURSE.id)] == [True]


def test_what_is_removed_is_not_proposed_again(api: Served, client: httpx.Client) -> None:
    """Also what students saw is taken from them; no concept is asked about a second time."""
    for name in ("root", "trunk"):
        assert decide(client, "reject", concept=name, definition="").status_code == 303
    assert known(api) == {}
    assert api.platform.proposals.proposals(COURSE.id) == ()
    assert api.platform.proposals.plan(COURSE.id).concepts == 0


def test_a_switched_off_passage_takes_its_explanation_along(api: Served) -> None:
    """Though the model said it in words of its own."""
    stores = api.platform.stores
    change_book(
        stores.documents,
        COURSE.id,
        lambda book: book.explain(concept("trunk", "The crown sits on a trunk."), supported=True),
    )
    assert known(api) == {"trunk": "The crown sits on a trunk."}
    (passage,) = stores.passages.file(COURSE.id, "roots.md").passages
    api.platform.passages.switch(COURSE.id, "roots.md", [passage.digest], on=False)
    assert known(api) == {}


def test_a_faulty_decision_changes_nothing(api: Served, client: httpx.Client) -> None:
    """An empty explanation, a concept that is not there, an unknown button."""
    assert decide(client, "accept", concept="root", definition=" ").status_code == 422
    assert decide(client, "accept", concept="none", definition="x").status_code == 404
    assert decide(client, "perhaps", concept="root", definition="x").status_code == 422
    assert known(api) == {"trunk": SHOWN}
    assert len(api.platform.proposals.proposals(COURSE.id)) == 2
