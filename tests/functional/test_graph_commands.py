"""`vta graph build`, `export` and `import`: from material or a file to a graph, and what is refused."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from command_lines import Vta

MATERIAL = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material"
FILE = MATERIAL / "concepts.json"


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


def test_each_form_is_imported_as_it_was_exported(vta: Vta, tmp_path: Path) -> None:
    """The same graph comes out whichever form carried it, also after an empty one was imported between."""
    code, out, err = vta("graph", "import", "ds", str(FILE), "--json")
    assert code == 0, err
    counts = json.loads(out)
    assert counts["left_out"] == 0
    _, graph, _ = vta("graph", "export", "ds", "--format", "json")
    assert len(json.loads(graph)["concepts"]) == counts["concepts"] > 30
    assert len(json.loads(graph)["edges"]) == counts["edges"] > 30
    (tmp_path / "json.txt").write_text(graph, encoding="utf-8")
    code, graphml, _ = vta("graph", "export", "ds", "--format", "graphml")
    (tmp_path / "graphml.txt").write_text(graphml, encoding="utf-8")
    code, out, _ = vta("graph", "export", "ds", "--format", "mooccubex", "--json")
    assert (code, json.loads(out)) == (
        0, {"folder": "ds-mooccubex", "concepts": counts["concepts"], "edges": counts["edges"]}
    )  # fmt: skip
    (tmp_path / "empty.json").write_text('{"concepts": []}', encoding="utf-8")
    for name in ("json.txt", "graphml.txt", "ds-mooccubex"):
        assert vta("graph", "import", "ds", "empty.json")[0] == 0
        assert json.loads(vta("graph", "export", "ds")[1]) == {"concepts": [], "edges": []}
        code, out, err = vta("graph", "import", "ds", name)
        assert (code, out) == (0, f"{counts['concepts']} concepts and {counts['edges']} edges\n"), err
        assert vta("graph", "export", "ds")[1] == graph
    assert vta("graph", "export", "ds", "--format", "graphml")[1] == graphml


def test_an_export_begins_with_the_surest_concepts(vta: Vta, tmp_path: Path) -> None:
    """Equally sure ones stand by name, in every form, and again after an import of it."""
    scores = {"queue": 0.5, "tree": 0.9, "array": 0.5, "stack": 1.0}
    given = {"concepts": [{"name": name, "score": score} for name, score in scores.items()]}
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    assert vta("graph", "import", "ds", "given.json")[0] == 0
    _, graph, _ = vta("graph", "export", "ds")
    assert [each["name"] for each in json.loads(graph)["concepts"]] == ["stack", "tree", "array", "queue"]
    _, graphml, _ = vta("graph", "export", "ds", "--format", "graphml")
    assert re.findall(r'<node id="ds:(\w+)"', graphml) == ["stack", "tree", "array", "queue"]
    (tmp_path / "again.xml").write_text(graphml, encoding="utf-8")
    assert vta("graph", "import", "ds", "again.xml")[0] == 0
    assert vta("graph", "export", "ds")[1] == graph


def test_a_graph_that_cannot_be_used_is_refused_and_the_old_one_stays(vta: Vta, tmp_path: Path) -> None:
    """Exit 2 with file and place of the fault: cycles, unknown and double names, broken and hostile files."""
    assert vta("graph", "import", "ds", str(FILE))[0] == 0
    before = vta("graph", "export", "ds")
    pair = {"concepts": [{"name": "栈", "prerequisites": ["表"]}, {"name": "表", "prerequisites": ["栈"]}]}
    cycle = "cycle.json: edges: the prerequisites run in a cycle: 表 -> 栈 -> 表"
    unknown = b'{"concepts": [{"name": "a", "prerequisites": ["b"]}]}'
    refused: dict[str, tuple[bytes, str]] = {
        "cycle.json": (json.dumps(pair).encode(), cycle),
        "unknown.json": (unknown, "concepts[0].prerequisites[0]"),
        "twice.json": (b'{"concepts": [{"name": "a"}, {"name": "A"}]}', "concepts[1].name"),
        "broken.json": (b'{"concepts": [\n{"name": }]}', "broken.json, line 2"),
        "utf16.json": ('{"concepts": []}'.encode("utf-16"), "line 1: not UTF-8"),
        "broken.graphml": (b"<graphml>", "broken.graphml, line 1"),
        "bomb.xml": (b'<!DOCTYPE g [<!ENTITY a "b">]><graphml>&a;</graphml>', "DTD or entities"),
        "lines.json": (b'{"id": "K_a_b", "name": "a"}\n{"id": 3}\n', "lines.json, line 2"),
    }
    for name, (content, said) in refused.items():
        (tmp_path / name).write_bytes(content)
        code, out, err = vta("graph", "import", "ds", name, "--json")
        assert (code, out) == (2, ""), name
        assert said in err
    (tmp_path / "folder").mkdir()
    for path in ("folder", "nothing.json"):
        code, _, err = vta("graph", "import", "ds", path)
        assert code == 2
        assert path in err
    assert vta("graph", "export", "ds") == before


def test_an_export_never_writes_over_what_is_there(vta: Vta, tmp_path: Path) -> None:
    """A folder that exists or cannot be made is refused, and so is one for a form that is no folder."""
    (tmp_path / "kept").mkdir()
    for out, form in (("kept", "mooccubex"), ("none/here", "mooccubex"), ("x.json", "json")):
        code, _, err = vta("graph", "export", "ds", "--format", form, "--out", out)
        assert code == 2
        assert out in err or "--out" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "kept"]
    assert list((tmp_path / "kept").iterdir()) == []
