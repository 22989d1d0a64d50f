"""The human hand on the graph, by command line and API: edits outlive builds and can be undone."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command_lines import Vta
from served_platform import Serve
from typer.testing import CliRunner

from services.cli.main import app
from vta.types import CourseId, ExplainConcept, RejectConcept

NOTES = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material" / "notes"

needs_model = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="the command line is not proven: intent/weights/model.onnx is missing",
)


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


@pytest.mark.slow
@needs_model
def test_edits_outlive_builds_and_are_undone_last_first(vta: Vta, tmp_path: Path) -> None:
    """Every kind of edit shows at once, is there after another build and ingest, and goes when undone."""
    assert vta("graph", "build", "ds")[0] == 0
    before = exported(vta)
    assert ("栈", "队列") not in before[1]
    (unlinked, *_) = [ends for ends in before[1] if not {"栈", "队列", "哈希表", "图"} & {*ends}]
    edits = [
        ("add", "内存分页", "--alias", "paging", "--definition", "把内存分成页。", "--domain", "操作系统"),
        ("reject", "哈希表"),
        ("rename", "图", "图结构"),
        ("explain", "栈", "老师说：栈是后进先出的表。"),
        ("link", "PAGING", "栈", "--evidence", "第 4 讲"),
        ("unlink", *unlinked),
        ("merge", "栈", "队列"),
    ]
    for number, edit in enumerate(edits, start=1):
        code, out, err = vta("graph", "edit", "ds", *edit, "--json")
        assert code == 0, err
        recorded = json.loads(out)
        assert (recorded["number"], recorded["edit"]["kind"]) == (number, edit[0])
    edited = exported(vta)
    concepts, edges = edited
    assert concepts["内存分页"]["domains"] == ["操作系统"]
    assert not {"哈希表", "图", "队列"} & concepts.keys()
    assert "图" in concepts["图结构"]["aliases"]
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
    assert not {"哈希表", "图", "队列"} & rebuilt.keys()
    assert rebuilt["栈"]["definition"] == "老师说：栈是后进先出的表。"
    assert edges["内存分页", "栈"]["evidence"] == ["第 4 讲"]

    (more / "deque.md").unlink()
    assert vta("ingest", "ds", str(more), str(NOTES))[0] == 0
    assert vta("graph", "build", "ds")[0] == 0
    assert exported(vta) == edited
    for edit in reversed(edits):
        code, out, _ = vta("graph", "undo", "ds", "--json")
        assert (code, json.loads(out)["edit"]["kind"]) == (0, edit[0])
    assert exported(vta) == before
    code, out, err = vta("graph", "undo", "ds", "--json")
    assert (code, out) == (2, "")
    assert "no edit to undo" in err


@needs_model
def test_edits_are_listed_with_those_that_lost_their_effect(vta: Vta, tmp_path: Path) -> None:
    """An edit of a concept that a later ingest took away stays on the list, and says so."""
    assert vta("graph", "edit", "ds", "explain", "栈", "后进先出。")[0] == 0
    assert vta("graph", "edit", "ds", "add", "内存分页")[0] == 0
    assert vta("graph", "edit", "ds", "reject", "栈")[0] == 0
    code, out, _ = vta("graph", "edits", "ds", "--json")
    assert code == 0
    assert [(each["number"], each["effect"]) for each in map(json.loads, out.splitlines())] == [
        (1, True), (2, True), (3, True)
    ]  # fmt: skip
    everything = {"concepts": [{"name": "链表"}]}
    ruling = tmp_path / "concepts.json"
    ruling.write_text(json.dumps(everything), encoding="utf-8")
    assert vta("ingest", "ds", str(ruling))[0] == 0
    code, out, _ = vta("graph", "edits", "ds")
    assert [line.endswith("(no effect)") for line in out.splitlines()] == [True, False, True]
    assert exported(vta)[0].keys() == {"链表", "内存分页"}


@needs_model
def test_a_refused_edit_names_its_field_and_changes_nothing(vta: Vta) -> None:
    """Exit 2, one line on stderr, and nothing recorded; an unknown course is refused as well."""
    for edit, said in (
        (("reject", "图书馆"), "concept: the course 'ds' has no concept '图书馆'"),
        (("add", "队", "--alias", "栈"), "aliases[0]: '栈' is the concept '栈'"),
        (("explain", "栈", " "), "definition: must not be empty"),
        (("link", "栈", "栈"), "prerequisite: this would close a cycle: 栈 -> 栈"),
    ):
        code, out, err = vta("graph", "edit", "ds", *edit, "--json")
        assert (code, out) == (2, "")
        assert said in err
    assert vta("graph", "edit", "nope", "reject", "栈")[0] == 2
    assert vta("graph", "edits", "nope")[0] == 2
    assert vta("graph", "edits", "ds") == (0, "", "")


def test_the_help_of_every_edit_shows_an_example() -> None:
    """With the course in its place."""
    for kind in ("add", "reject", "rename", "merge", "explain", "link", "unlink"):
        shown = CliRunner().invoke(app, ["graph", "edit", "ds", kind, "--help"])
        assert shown.exit_code == 0
        assert f"vta graph edit ds {kind}" in " ".join(shown.stdout.split("Example:")[1].split())


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
