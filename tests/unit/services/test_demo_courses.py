"""The sample courses are whole, readable, consistent with themselves, and their code does what it says."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

COURSES = Path(str(files("services"))) / "demo" / "courses"
EN, ZH = COURSES / "machine-learning-en", COURSES / "data-structures-zh"
EACH = pytest.mark.parametrize("course", [EN, ZH], ids=lambda course: course.name)
NOTES = [note for course in (EN, ZH) for note in sorted((course / "material" / "notes").glob("*.md"))]


def file_id(path: Path) -> str:
    return f"{path.parents[2].name}-{path.stem}"


EACH_NOTE = pytest.mark.parametrize("note", NOTES, ids=file_id)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks_of(note: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text_of(note), re.DOTALL | re.MULTILINE)


def faq(course: Path, name: str = "faq.csv") -> list[list[str]]:
    header, *rows = csv.reader(io.StringIO(text_of(course / "material" / name)), strict=True)
    assert header == ["question", "answer"]
    return rows


def concepts(course: Path) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(text_of(course / "material" / "concepts.json"))["concepts"]
    return loaded


@EACH_NOTE
def test_the_code_of_a_note_runs_and_does_what_it_says(note: Path) -> None:
    """English: every comment is a line of a block's output, in order. Chinese: it holds its assertions."""
    blocks, names = blocks_of(note), {"__name__": note.stem}
    assert note.is_relative_to(EN) or any("assert " in block for block in blocks)
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(block, note.name, "exec"), names)
        promised = re.findall(r"(?:^|  )# (.*)$", block, re.MULTILINE)
        if note.is_relative_to(EN):
            assert promised
            assert output.getvalue().splitlines() == promised


@EACH
@pytest.mark.parametrize(("name", "least"), [("faq.csv", 40), ("platform_faq.csv", 15)])
def test_an_faq_has_enough_different_questions_each_answered(course: Path, name: str, least: int) -> None:
    rows = faq(course, name)
    assert len(rows) >= least
    assert all(len(row) == 2 and all(cell.strip() for cell in row) for row in rows)
    assert len({row[0].strip().casefold() for row in rows}) == len(rows)
    assert course is EN or all(answer.strip().endswith("。") for _, answer in rows)


@pytest.mark.parametrize(("course", "words"), [(EN, ("precision", "recall")), (ZH, ("栈", "队列"))])
def test_no_faq_or_heading_compares_two_concepts_of_the_tour(course: Path, words: tuple[str, str]) -> None:
    """The comparison has to be composed from the two definitions, so no text gives it away."""
    notes = "\n".join(text_of(note) for note in NOTES if note.is_relative_to(course))
    headings = [line.casefold() for line in notes.splitlines() if line[:1] == "#"]
    questions = [row[0].casefold() for row in faq(course) + faq(course, "platform_faq.csv")]
    texts = headings + questions
    assert all(any(word in text for text in texts) for word in words)
    assert not any(all(word in text for word in words) for text in texts)


@pytest.mark.parametrize(("course", "alias", "end"), [(EN, r"[\u4e00-\u9fff]", "."), (ZH, "[A-Za-z]", "。")])
def test_each_concept_is_defined_once_with_an_alias_of_the_other_language(
    course: Path, alias: str, end: str
) -> None:
    entries = concepts(course)
    names = [name.casefold() for entry in entries for name in (entry["name"], *entry["aliases"])]
    assert len(entries) >= 45
    assert len(names) == len(set(names))
    for entry in entries:
        assert {"name", "aliases", "definition"} <= set(entry)
        assert set(entry) <= {"name", "aliases", "definition", "domains", "prerequisites"}
        assert any(re.search(alias, each) for each in entry["aliases"])
        assert entry["definition"].endswith(end)


@pytest.mark.parametrize(
    ("course", "stands_on"),
    [
        (EN, {"precision": any, "recall": any, "gradient descent": any, "overfitting": any}),
        (ZH, {"栈": ["线性表", "后进先出"].__eq__, "队列": ["线性表", "先进先出"].__eq__}),
    ],
)
def test_prerequisites_are_defined_direct_and_without_a_cycle(
    course: Path, stands_on: dict[str, Callable[[list[str]], bool]]
) -> None:
    """The concepts of the tour have something to stand on."""
    before = {entry["name"]: entry.get("prerequisites", []) for entry in concepts(course)}
    graph = nx.DiGraph((each, name) for name, each_before in before.items() for each in each_before)
    assert set(graph) <= set(before)
    assert nx.is_directed_acyclic_graph(graph)
    assert set(nx.transitive_reduction(graph).edges) == set(graph.edges)
    assert max(map(len, before.values())) <= 3
    assert all(check(before[name]) for name, check in stands_on.items())
