"""A concept over the API and in the shell: what comes before it, where that is taught, and its picture."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest
from served_platform import Serve, Served

from vta.languages import Language
from vta.types.courses import Course, CourseId

CONCEPTS = "/v1/courses/trees/concepts"
SVG = "{http://www.w3.org/2000/svg}"

FILES = {
    "notes/01-list.md": (
        "# Linear lists\n\n## What a list is\n\nA linear list is a row of elements, one after the other.\n"
    ),
    "notes/02-node.md": "# Nodes\n\nA node holds an element and pointers to other nodes.\n",
    "video/03-tree.srt": (
        "1\n00:01:05,000 --> 00:01:09,000\nA tree is made of nodes, each of which has one parent.\n"
    ),
    "notes/04-heap.md": "# Heaps\n\nA heap is a tree in which no node is smaller than its children.\n",
    "concepts.json": """{"concepts": [
        {"name": "linear list", "definition": "A row of elements.", "aliases": ["线性表"]},
        {"name": "node", "definition": "An element with pointers.", "prerequisites": ["linear list"]},
        {"name": "tree", "definition": "Nodes with one parent each."},
        {"name": "heap", "definition": "A tree in order.", "prerequisites": ["tree", "linear list"]},
        {"name": "heap sort", "prerequisites": ["heap"]},
        {"name": "I/O: 100% <b>&", "definition": "What goes in and out.", "prerequisites": ["heap"]},
        {"name": "alone"}],
     "edges": [{"prerequisite": "node", "concept": "tree", "score": 0.75,
                "evidence": ["video/03-tree.srt 01:05: A tree is made of nodes"]}]}""",
}


@pytest.fixture
def api(serve: Serve) -> Served:
    course = Course(id=CourseId("trees"), name="Trees", domains=("CS",), language=Language.EN)
    return serve({"trees": (course, FILES)})


def read(api: Served, name: str) -> Any:
    reply = api.client.get(f"{CONCEPTS}/{quote(name, safe='')}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_a_concept_tells_its_path_with_the_place_of_each_step(api: Served) -> None:
    """What comes first stands first; a note has its headings, a lecture its second, and both their words."""
    heap = read(api, "heap")
    assert (heap["name"], heap["definition"], heap["domains"]) == ("heap", "A tree in order.", ["CS"])
    assert [(step["name"], step["distance"]) for step in heap["path"]] == [
        ("linear list", 1),
        ("node", 2),
        ("tree", 1),
    ]
    assert (heap["path_left_out"], heap["taught_before"]) == (0, [])
    listed, _, tree = heap["path"]
    assert listed["taught"]["document"] == "notes/01-list.md"
    assert listed["taught"]["locator"] == {"heading_path": ["Linear lists", "What a list is"]}
    assert "one after the other" in listed["taught"]["passage"]
    assert tree["taught"]["locator"]["video"] == "03-tree.srt"
    assert tree["taught"]["locator"]["start_s"] == 65.0
    assert tree["where"] == "Lecture 3, Tree · 01:05"


def test_every_edge_carries_its_evidence(api: Served) -> None:
    """Direct prerequisites and dependents come with the line, the score and who says so."""
    tree = read(api, "tree")
    (node,) = tree["prerequisites"]
    assert (node["name"], node["score"], node["curated"]) == ("node", 0.75, True)
    assert node["evidence"] == ["video/03-tree.srt 01:05: A tree is made of nodes"]
    assert [each["name"] for each in tree["dependents"]] == ["heap"]
    assert [each["name"] for each in read(api, "heap")["prerequisites"]] == ["linear list", "tree"]


@pytest.mark.parametrize("name", ["线性表", "Linear Lists", "linear list"])
def test_a_concept_is_found_by_any_of_its_names(api: Served, name: str) -> None:
    """An alias, a plural and another case lead to the same concept."""
    assert read(api, name)["name"] == "linear list"


@pytest.mark.parametrize("path", ["{}", "{}/neighbourhood.svg"])
def test_a_name_may_hold_anything(api: Served, path: str) -> None:
    """A slash, a percent sign and markup in a name reach the concept when they are URL-encoded."""
    name = "I/O: 100% <b>&"
    reply = api.client.get(f"{CONCEPTS}/{path.format(quote(name, safe=''))}")
    assert reply.status_code == 200
    told = reply.json()["name"] if path == "{}" else ET.fromstring(reply.text).findtext(f"{SVG}title")
    assert name in told


def test_a_concept_without_anything_around_it_is_told(api: Served) -> None:
    """No definition, no place, no neighbours: empty, not an error."""
    alone = read(api, "alone")
    assert (alone["path"], alone["prerequisites"], alone["dependents"], alone["taught"]) == ([], [], [], None)


@pytest.mark.parametrize("path", ["", "/neighbourhood.svg"])
@pytest.mark.parametrize(
    ("course", "name", "status"),
    [
        ("trees", "zebra", 404),
        ("trees", "what is a heap", 404),
        ("trees", "%00", 404),
        ("trees", "%FF", 404),
        ("none", "heap", 404),
        ("trees", "x" * 201, 422),
    ],
)
def test_what_is_no_concept_is_a_problem(api: Served, course: str, name: str, status: int, path: str) -> None:
    """An unknown course or name is not found, and a sentence around a name is no name."""
    reply = api.client.get(f"/v1/courses/{course}/concepts/{name}{path}")
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == ("not_found" if status == 404 else "invalid_input")


def test_a_picture_may_load_and_run_nothing(api: Served) -> None:
    """SVG with its own type and a policy of its own; `depth` adds a column of what comes before."""
    reply = api.client.get(f"{CONCEPTS}/heap/neighbourhood.svg")
    assert reply.headers["content-type"].startswith("image/svg+xml")
    assert reply.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert reply.headers["x-content-type-options"] == "nosniff"
    titles = [box.findtext(f"{SVG}title") for box in ET.fromstring(reply.text).findall(f"{SVG}svg")]
    assert titles == ["tree", "heap", "I/O: 100% <b>&", "heap sort"]
    deeper = ET.fromstring(api.client.get(f"{CONCEPTS}/heap/neighbourhood.svg?depth=2").text)
    assert deeper.find(f"{SVG}svg/{SVG}title").text == "node"
    assert api.client.get(f"{CONCEPTS}/heap/neighbourhood.svg?depth=3").status_code == 422
