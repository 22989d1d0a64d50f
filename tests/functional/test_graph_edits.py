"""The human hand on the graph: edits outlive builds and can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command_lines import Vta
from served_platform import Serve

from services.cli.output import platform
from services.graph.service import CourseGraphs
from vta.errors import VtaError
from vta.types.concepts import (
    AddConcept,
    ExplainConcept,
    LinkConcepts,
    MergeConcepts,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import CourseId

NOTES = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material" / "notes"


@pytest.fixture
def vta(graph_command: Vta) -> Vta:
    """Commands over the course `ds` with its notes."""
    assert graph_command("ingest", "ds", str(NOTES))[0] == 0
    return graph_command


def exported(vta: Vta) -> tuple[dict[str, Any], dict[tuple[str, str], Any]]:
    """Concepts by name and edges by names."""
    code, out, _ = vta("graph", "export", "ds")
    assert code == 0
    graph = json.loads(out)
    return (
        {each["name"]: each for each in graph["concepts"]},
        {(each["prerequisite"], each["concept"]): each for each in graph["edges"]},
    )


@contextmanager
def graphs_of_course(course: str = "ds") -> Iterator[tuple[CourseGraphs, CourseId]]:
    """The graphs of the data folder that the commands use, as the console and the API edit them."""
    with platform(None) as opened:
        yield opened.graphs, CourseId(course)


@pytest.mark.slow
def test_edits_outlive_builds_and_are_undone_last_first(vta: Vta, tmp_path: Path) -> None:
    """Every kind of edit shows at once, is there after another build and ingest, and goes when undone."""
    assert vta("graph", "build", "ds")[0] == 0
    before = exported(vta)
    assert ("栈", "队列") not in before[1]
    (unlinked, *_) = [ends for ends in before[1] if not {"栈", "队列", "哈希表", "链表"} & {*ends}]
    edits = [
        AddConcept(name="内存分页", aliases=("paging",), definition="把内存分成页。", domains=("操作系统",)),
        RejectConcept(concept="哈希表"),
        RenameConcept(concept="链表", name="链式表"),
        ExplainConcept(concept="栈", definition="老师说：栈是后进先出的表。"),
        LinkConcepts(prerequisite="PAGING", concept="栈", evidence="第 4 讲"),
        UnlinkConcepts(prerequisite=unlinked[0], concept=unlinked[1]),
        MergeConcepts(concept="栈", other="队列"),
    ]
    with graphs_of_course() as (graphs, course):
        for number, edit in enumerate(edits, start=1):
            assert graphs.record(course, edit).number == number
    edited = exported(vta)
    concepts, edges = edited
    assert concepts["内存分页"]["domains"] == ["操作系统"]
    assert not {"哈希表", "链表", "队列"} & concepts.keys()
    assert "链表" in concepts["链式表"]["aliases"]
    assert "队列" in concepts["栈"]["aliases"]
    assert concepts["栈"]["definition"] == "老师说：栈是后进先出的表。"
    assert edges["内存分页", "栈"]["evidence"] == ["第 4 讲"]
    assert unlinked not in edges

    more = tmp_path / "more"
    more.mkdir()
    (more / "deque.md").write_text("# 双端队列\n\n双端队列是两端都能插入和删除的线性表。\n", encoding="utf-8")
    assert vta("ingest", "ds", str(more))[0] == 0
    assert vta("graph", "build", "ds")[0] == 0
    assert vta("ingest", "ds", str(NOTES))[0] == 0
    rebuilt, edges = exported(vta)
    assert not {"哈希表", "链表", "队列"} & rebuilt.keys()
    assert rebuilt["栈"]["definition"] == "老师说：栈是后进先出的表。"
    assert edges["内存分页", "栈"]["evidence"] == ["第 4 讲"]

    (more / "deque.md").unlink()
    assert vta("ingest", "ds", str(more), str(NOTES))[0] == 0
    assert vta("graph", "build", "ds")[0] == 0
    assert exported(vta) == edited
    with graphs_of_course() as (graphs, course):
        for edit in reversed(edits):
            (undone,) = graphs.undo(course)
            assert undone.edit.kind == edit.kind
        with pytest.raises(VtaError, match="no edit to undo"):
            graphs.undo(course)
    assert exported(vta) == before


def test_edits_are_listed_with_those_that_lost_their_effect(vta: Vta, tmp_path: Path) -> None:
    """An edit of a concept that a later ingest took away stays on the list, and says so."""
    with graphs_of_course() as (graphs, course):
        graphs.record(course, ExplainConcept(concept="栈", definition="后进先出。"))
        graphs.record(course, AddConcept(name="内存分页"))
        graphs.record(course, RejectConcept(concept="栈"))
        assert [each.effect for each in graphs.edits(course)] == [True, True, True]
    everything = {"concepts": [{"name": "链表"}]}
    ruling = tmp_path / "concepts.json"
    ruling.write_text(json.dumps(everything), encoding="utf-8")
    assert vta("ingest", "ds", str(ruling))[0] == 0
    with graphs_of_course() as (graphs, course):
        assert [each.effect for each in graphs.edits(course)] == [False, True, False]
    assert exported(vta)[0].keys() == {"链表", "内存分页"}


def test_the_running_server_follows_edits(serve: Serve) -> None:
    """The graph of the API and the answers change with an edit and its undoing, without a restart."""
    api = serve()
    stores = api.platform.stores

    def graph() -> dict[str, Any]:
        reply = api.client.get("/v1/courses/stacks-en/graph")
        assert reply.status_code == 200
        return {each["name"]: each for each in reply.json()["concepts"]}

    def card() -> Any:
        asked = {"question": "What is a queue?"}
        reply = api.client.post("/v1/courses/stacks-en/dialogue", json=asked).json()
        return [(each["name"], each["definition"]) for each in reply["concepts"]]

    before = graph()
    assert {"linear list", "stack", "queue"} <= before.keys()
    built = card()
    course = stores.courses.course(CourseId("stacks-en"))
    for edit in (
        ExplainConcept(concept="queue", definition="A queue is fair."),
        RejectConcept(concept="linear list"),
    ):
        stores.edits.record(course.id, edit)
    assert graph()["queue"]["definition"] == "A queue is fair."
    assert "linear list" not in graph()
    assert card() == [("queue", "A queue is fair.")]
    stores.edits.undo(course.id)
    stores.edits.undo(course.id)
    assert (graph(), card()) == (before, built)


def test_the_graph_of_the_api_is_the_exported_one(serve: Serve) -> None:
    """Concepts and edges with their evidence; a course that is not there is a problem."""
    api = serve()
    graph = api.client.get("/v1/courses/stacks-en/graph").json()
    assert graph["edges"][0].keys() == {"prerequisite", "concept", "score", "evidence"}
    assert graph["concepts"][0].keys() == {
        "name", "aliases", "definition", "domains", "score", "first_seen"
    }  # fmt: skip
    refused = api.client.get("/v1/courses/nope/graph")
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
