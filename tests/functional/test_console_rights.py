"""What a teaching assistant is shown of what only instructors may do: no buttons, and refusals in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import fastapi
import httpx
import pytest
from served_platform import Served

from services.app import create_app
from services.console_routes import PARTS
from services.people.sessions import ASSISTANT, COOKIE
from services.people.store import CourseRole
from vta.faults import Fault, fault_table
from vta.languages import Language
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"
REFUSED = Fault("person.no_course_role")


@pytest.fixture
def bo(api: Served) -> Iterator[httpx.Client]:
    """A teaching assistant of the course who is logged in."""
    stores = api.platform.stores
    person = stores.people.add(name="Bo", email="bo@uni.example")
    stores.memberships.put(COURSE, person.id, CourseRole.TA)
    cookie, _ = stores.console.open(None, person.name, person=person)
    with httpx.Client(
        base_url=api.address, cookies={COOKIE: cookie}, trust_env=False, timeout=30.0
    ) as client:
        yield client


def addresses(api: Served) -> list[tuple[str, str]]:
    """Method and address of every route of the course's console."""
    routes = getattr(fastapi.routing, "iter_route_contexts", iter)(create_app(api.platform).routes)
    found = [(method, route.path) for route in routes for method in sorted(route.methods or ())]
    return [
        (method, re.sub(r"\{\w+(:\w+)?\}", "x1", path.replace("{course}", COURSE)))
        for method, path in found
        if path.startswith("/console/{course}")
    ]


def is_for_assistants(method: str, path: str) -> bool:
    (part,) = (part for part in PARTS if part.name == path.split("/")[3])
    needed = part.right_needed(method, path)
    return needed is None or needed in ASSISTANT


@pytest.mark.parametrize("language", list(Language))
def test_every_refusal_is_in_words(api: Served, bo: httpx.Client, language: Language) -> None:
    """On a page and in what a script is answered; nothing is said of a form that has expired."""
    bo.cookies.set("vta_language", language.value)
    closed = [each for each in addresses(api) if not is_for_assistants(*each)]
    assert len(closed) >= 20
    for method, path in closed:
        page = bo.request(method, path, headers={"Accept": "text/html"})
        assert page.status_code == 403, path
        if method != "HEAD":
            assert REFUSED.page_text(language) in unescape(page.text), path
            said = page.text.partition("<main")[2]
            assert not [code for code in fault_table() if code in said], path
            assert {Language.EN: "expired", Language.ZH: "过期"}[language] not in page.text, path
            reply = bo.request(method, path, headers={"Accept": "application/json"})
            assert (reply.status_code, reply.json()["detail"]) == (403, REFUSED.page_text(language)), path


def test_nothing_is_shown_that_would_be_refused(api: Served, bo: httpx.Client) -> None:
    """Neither form nor link, on every page that a teaching assistant may read."""
    waiting, near, far = (
        api.ask_ta(question)[0] for question in ("Is there a book?", "Is there the book?", "Who is it?")
    )
    api.platform.stores.ta_queue.reject(COURSE, [far], reason="No.")
    api.platform.stores.answer_templates.keep(COURSE, "Look at the syllabus.")
    document = api.platform.materials.documents(COURSE)[0].path
    concept = api.platform.graphs.graph().concepts(COURSE)[0].name
    pages = [path for method, path in addresses(api) if method == "GET" and "x1" not in path]
    pages += [f"{HOME}/graph/concept?name={concept}"]
    pages += [f"{HOME}/inbox/answer?q={waiting}&q={near}", f"{HOME}/materials/file?path={document}"]
    read = set()
    for path in pages:
        page = bo.get(path, headers={"Accept": "text/html"})
        if page.status_code != 200 or "text/html" not in page.headers["content-type"]:
            continue
        read.add(path.partition("?")[0].removeprefix(HOME))
        forms = re.findall(r'<form [^>]*method="post"[^>]*action="([^"?]+)', page.text)
        forms += re.findall(r'formaction="([^"?]+)', page.text)
        refused = {to for to in forms if to.startswith(HOME) and not is_for_assistants("POST", to)}
        links = set(re.findall(r'href="([^"?#]+)', page.text))
        refused |= {to for to in links if to.startswith(f"{HOME}/") and not is_for_assistants("GET", to)}
        assert not refused, path
    assert len(read) >= 15
    assert read >= {"/inbox", "/inbox/answer", "/inbox/answered", "/inbox/rejected", "/materials/file"}


def test_an_assistant_reads_the_graph_and_decides_nothing(api: Served, bo: httpx.Client) -> None:
    """There are concepts, but no buttons; a press that is made up is refused."""
    shown = bo.get(f"{HOME}/graph").text
    assert 'data-testid="concept"' in shown
    assert not re.search('data-testid="(right|wrong|unlink|undo)', shown)
    name = api.platform.graphs.graph().concepts(COURSE)[0].name
    form = {"kind": "reject", "concept": name}
    assert bo.post(f"{HOME}/graph/edits", data=form).status_code == 403
    assert api.platform.graphs.edits(COURSE) == ()


def test_a_course_of_others_is_refused_as_such(api: Served, bo: httpx.Client) -> None:
    page = bo.get("/console/stacks-zh/inbox", headers={"Accept": "text/html"})
    assert page.status_code == 403
    assert "Not open to you" in page.text
    assert "expired" not in page.text
