"""`vta course export` and `vta course import`, from one data folder to another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from command_lines import Ran, Vta
from course_contents import SMALL, members, written

from services.cli.output import platform
from vta.types.concepts import AddConcept, LinkConcepts
from vta.types.courses import CourseId

COURSE = "data-structures-zh"
QUESTIONS = (
    "什么是栈？",
    "栈和队列有什么区别？",
    "作业什么时候交",
    "怎样获得课程证书？",
    "跳表是什么？",
    "今天天气好吗",
)

AtHome = Callable[..., Ran]

pytestmark = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="course files are not proven on the command line: intent/weights/model.onnx is missing",
)


@pytest.fixture
def vta(command: Vta, tmp_path: Path) -> AtHome:
    """Runs a command line over a named data folder, in this process."""
    return lambda home, *arguments, stdin="": command(*arguments, stdin=stdin, home=str(tmp_path / home))


def fill(vta: AtHome, home: str) -> None:
    """The Chinese sample course with FAQ entries, a built and edited graph, and settings."""
    with as_file(files("services.demo") / "courses" / COURSE / "material") as material:
        runs = [
            vta(home, "course", "add", COURSE, "--name", "数据结构", "--domain", "计算机科学"),
            vta(home, "ingest", COURSE, str(material)),
            vta(home, "faq", COURSE, "add", "--question", "什么时候交作业？", "--answer", "每周五。",
                "--similar", "作业什么时候交", "--negative", "考试是几号"),
            vta(home, "faq", COURSE, "add", "--question", "有补考吗？", "--answer", "有一次。"),
            vta(home, "graph", "build", COURSE),
        ]  # fmt: skip
    assert [run.code for run in runs] == [0] * len(runs), [run.err for run in runs]
    with platform(None) as opened:
        course = CourseId(COURSE)
        opened.graphs.record(course, AddConcept(name="跳表", definition="跳表是多层的有序链表。"))
        opened.graphs.record(course, LinkConcepts(prerequisite="链表", concept="跳表"))
        opened.stores.settings.change(
            course, lambda found: replace(found, origins=("https://learn.example",), hints=False)
        )


def settings_of(home: Path) -> tuple[object, ...]:
    """The edits of the graph with their effect, and what other sites may do."""
    with platform(home) as opened:
        course = CourseId(COURSE)
        return opened.graphs.edits(course), opened.stores.settings.settings(course)


def told(vta: AtHome, home: str, *command: str) -> list[Any]:
    """What a command answers to the questions, without what is different each time."""
    asked = "".join(json.dumps({"question": question}) + "\n" for question in QUESTIONS)
    ran = vta(home, *command, "-", "--json", stdin=asked)
    assert ran.code == 0
    changing = {"turn_id", "session_id", "trace"}
    return [{name: value for name, value in line.items() if name not in changing} for line in ran.lines]


@pytest.mark.slow
def test_a_course_answers_elsewhere_as_it_did(vta, tmp_path):
    """Ranking, answers, graph and settings are the same, and exported again it is the same file."""
    fill(vta, "here")
    exported = vta("here", "course", "export", COURSE, "--out", "ds.zip", "--json")
    assert exported.code == 0, exported.err
    (said,) = exported.lines
    assert (said["id"], said["file"]) == (COURSE, "ds.zip")
    rows = said["rows"]
    assert rows.pop("documents") > 20
    assert rows == {
        "courses": 1, "course_embeddings": 1, "faq_entries": 2, "faq_versions": 2, "graph_edits": 2,
    }  # fmt: skip

    imported = vta("there", "course", "import", "ds.zip", "--json")
    assert imported.code == 0, imported.err
    assert imported.json["rows"] == exported.json["rows"]
    for command in (["search", COURSE], ["ask", COURSE]):
        assert told(vta, "there", *command) == told(vta, "here", *command)
    graph = ("graph", "export", COURSE)
    assert vta("there", *graph).out == vta("here", *graph).out != ""
    assert settings_of(tmp_path / "there") == settings_of(tmp_path / "here")
    assert vta("there", "course", "export", COURSE, "--out", "again.zip").code == 0
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "ds.zip").read_bytes()

    with as_file(files("services.demo") / "courses" / COURSE / "material") as material:
        again = vta("there", "ingest", COURSE, str(material), "--json").lines[0]
    assert (again["added"], again["removed"], again["unchanged"]) == (0, 0, 27)


def test_no_key_turn_or_learner_is_in_the_file(vta, tmp_path):
    """Nothing that a student wrote, no key, nobody's name."""
    (tmp_path / "small.zip").write_bytes(written(SMALL))
    assert vta("here", "course", "import", "small.zip").code == 0
    assert vta("here", "course", "key", "ds", "--role", "instructor").code == 0
    assert vta("here", "ask", "ds", "我的秘密是什么？").code == 0
    assert vta("here", "faq", "ds", "add", "--question", "有补考吗？", "--answer", "有一次。").code == 0
    assert vta("here", "course", "export", "ds").code == 0
    found = members((tmp_path / "ds.course.zip").read_bytes())
    tables = json.loads(found.pop("manifest.json"))["members"]
    assert {name for name, member in tables.items() if member["rows"]} == {
        "courses.jsonl", "course_embeddings.jsonl", "course_facts.jsonl", "documents.jsonl",
        "faq_entries.jsonl", "faq_versions.jsonl", "graph_edits.jsonl", "test_questions.jsonl",
        "course_weeks.jsonl",
    }  # fmt: skip
    held = b"".join(found.values())
    assert "有补考吗".encode() in held
    for hidden in ("秘密", "vta_", "learner", "course import", "command line"):
        assert hidden.encode() not in held, hidden


def test_an_id_that_is_taken_needs_another(vta, tmp_path):
    """The copy stands beside the course, with answers of its own; removed and imported, it is back."""
    (tmp_path / "ds.zip").write_bytes(written(SMALL))
    assert vta("here", "course", "import", "ds.zip").code == 0
    taken = vta("here", "course", "import", "ds.zip")
    assert (taken.code, taken.out) == (2, "")
    assert "there is a course 'ds' already" in taken.err
    wrong = vta("here", "course", "import", "ds.zip", "--as", "a/b")
    assert wrong.code == 2
    assert "--as" in wrong.err
    assert vta("here", "course", "import", "ds.zip", "--as", "copy", "--json").lines[0]["id"] == "copy"
    (before,) = vta("here", "ask", "ds", "什么时候交作业？", "--json").lines
    (copied,) = vta("here", "ask", "copy", "什么时候交作业？", "--json").lines
    assert copied["text"] == before["text"]
    assert copied["citations"][0]["source"] == "faq"
    assert vta("here", "course", "remove", "ds", "--yes").code == 0
    assert vta("here", "course", "import", "ds.zip").code == 0


def test_a_file_with_a_fault_leaves_nothing_behind(vta, tmp_path):
    """A cut file, and one whose last line is wrong: exit 2, one line that says where, and no course."""
    data = written(SMALL)
    (tmp_path / "cut.zip").write_bytes(data[: len(data) // 2])
    manifest = json.loads(members(data)["manifest.json"])
    changed = members(data)["graph_edits.jsonl"].replace(b"link", b"knot")
    manifest["members"]["graph_edits.jsonl"]["sha256"] = hashlib.sha256(changed).hexdigest()
    given = {"graph_edits.jsonl": changed, "manifest.json": json.dumps(manifest).encode()}
    with ZipFile(tmp_path / "wrong.zip", "w") as zipped:
        for name, text in (members(data) | given).items():
            zipped.writestr(name, text)
    faults = {
        "cut.zip": "cut off",
        "none.zip": "cannot be read",
        "wrong.zip": "edit 7",
    }
    for name, said in faults.items():
        ran = vta("there", "course", "import", name)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert name in ran.err
        assert len(ran.err.splitlines()) == 1
    assert vta("there", "course", "list").out == ""


def test_what_is_there_is_not_written_over(vta, tmp_path):
    """A file of the name stays as it is, and an unknown course leaves none."""
    (tmp_path / "ds.zip").write_text("mine")
    assert vta("here", "course", "add", "ds", "--name", "a", "--domain", "b").code == 0
    refused = vta("here", "course", "export", "ds", "--out", "ds.zip")
    assert refused.code == 2
    assert "exists already" in refused.err
    assert (tmp_path / "ds.zip").read_text() == "mine"
    assert vta("here", "course", "export", "none", "--out", "none.zip").code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ds.zip", "here"]
    assert vta("here", "course", "export", "ds", "--out", "empty.zip").code == 0
    assert vta("there", "course", "import", "empty.zip").code == 0
