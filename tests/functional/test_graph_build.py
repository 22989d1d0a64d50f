"""`vta graph build`: from ingested material to a graph, on the sample course and on bad input."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from command_lines import Vta

MATERIAL = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material"

pytestmark = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="the command line is not proven: intent/weights/model.onnx is missing",
)


@pytest.fixture
def vta(graph_command: Vta) -> Vta:
    """Commands over the empty course `ds`."""
    return graph_command


def exported(vta: Vta) -> dict[str, list[dict[str, object]]]:
    code, out, _ = vta("graph", "export", "ds")
    assert code == 0
    graph: dict[str, list[dict[str, object]]] = json.loads(out)
    return graph


def test_the_notes_and_subtitles_of_the_sample_course_give_a_graph(vta: Vta) -> None:
    """The counts printed are those of the graph, and building again changes nothing."""
    assert vta("ingest", "ds", str(MATERIAL / "notes"), str(MATERIAL / "subtitles"))[0] == 0
    code, out, _ = vta("graph", "build", "ds", "--json")
    assert code == 0
    report = json.loads(out)
    assert sorted(report) == ["concepts", "edges", "seconds"]
    graph = exported(vta)
    assert (len(graph["concepts"]), len(graph["edges"])) == (report["concepts"], report["edges"])
    names = {str(concept["name"]): concept for concept in graph["concepts"]}
    assert {"栈", "队列", "哈希表", "链表", "二叉搜索树"} <= names.keys()
    assert all(edge["evidence"] for edge in graph["edges"])
    assert vta("graph", "build", "ds", "--json")[0] == 0
    assert exported(vta) == graph


def test_a_concept_file_keeps_ruling(vta: Vta) -> None:
    """What a teacher wrote is the same after a build, however much was found."""
    assert vta("ingest", "ds", str(MATERIAL))[0] == 0
    before = exported(vta)
    assert vta("graph", "build", "ds")[0] == 0
    after = exported(vta)
    assert [each["name"] for each in after["concepts"]] == [each["name"] for each in before["concepts"]]
    for old, new in zip(before["concepts"], after["concepts"], strict=True):
        assert old["definition"] in ("", new["definition"])
    assert after["edges"] == before["edges"]


def test_seeds_are_read_from_a_file(vta: Vta, tmp_path: Path) -> None:
    """A given name that occurs is found; a file that is missing or holds no names is refused."""
    assert vta("ingest", "ds", str(MATERIAL / "notes"))[0] == 0
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# given\n教务处\n元素\n", encoding="utf-8")
    assert vta("graph", "build", "ds", "--seeds", str(seeds))[0] == 0
    assert "元素" in {concept["name"] for concept in exported(vta)["concepts"]}
    code, _, err = vta("graph", "build", "ds", "--seeds", str(tmp_path / "none.txt"))
    assert code == 2
    assert "none.txt" in err
    seeds.write_text("元素\n123\n", encoding="utf-8")
    code, _, err = vta("graph", "build", "ds", "--seeds", str(seeds))
    assert code == 2
    assert "line 2" in err


@pytest.mark.parametrize(("course", "said"), [("ds", "no material"), ("none", "none")])
def test_an_empty_or_unknown_course_is_refused(vta: Vta, course: str, said: str) -> None:
    """The message says what is missing, and the exit code that the input was bad."""
    code, out, err = vta("graph", "build", course, "--json")
    assert (code, out) == (2, "")
    assert said in err
