"""The Chinese sample course: its files are whole, readable and consistent with one another."""

import csv
import json
import re
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pysubs2
import pytest

COURSE = Path(str(files("services"))) / "demo" / "courses" / "data-structures-zh"
MATERIAL = COURSE / "material"
NOTES = sorted((MATERIAL / "notes").glob("*.md"))
SUBTITLES = sorted((MATERIAL / "subtitles").iterdir())


def read_concepts() -> list[dict]:
    return json.loads((MATERIAL / "concepts.json").read_text(encoding="utf-8"))["concepts"]


def read_table(name: str) -> list[dict[str, str]]:
    with (MATERIAL / name).open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, strict=True)
        assert table.fieldnames == ["question", "answer"]
        return list(table)


def test_course_states_its_id_name_domains_and_language():
    course = json.loads((COURSE / "course.json").read_text(encoding="utf-8"))
    assert course == {
        "id": "data-structures-zh",
        "name": "数据结构",
        "domains": ["计算机科学", "数据结构与算法"],
        "language": "zh",
    }


def test_course_has_enough_material():
    assert len(NOTES) >= 10
    assert len(SUBTITLES) >= 10
    assert sum(path.suffix == ".vtt" for path in SUBTITLES) == 3
    assert 20 <= len((COURSE / "page.md").read_text(encoding="utf-8").splitlines()) <= 40


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_note_is_one_title_with_sections_below_it(path: Path):
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert 900 <= len(text) <= 1800
    assert text.startswith("# ")
    assert len(re.findall(r"^# ", prose, flags=re.MULTILINE)) == 1
    assert len(re.findall(r"^## ", prose, flags=re.MULTILINE)) >= 3
    assert text.count("```") % 2 == 0
    assert re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL).count("$") % 2 == 0


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_python_blocks_of_a_note_run_and_hold_their_assertions(path: Path):
    blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert any("assert " in block for block in blocks)
    names: dict[str, object] = {"__name__": path.stem}
    for block in blocks:
        exec(compile(block, path.name, "exec"), names)


@pytest.mark.parametrize("path", SUBTITLES, ids=lambda path: path.stem)
def test_subtitle_cues_follow_one_another_without_overlap(path: Path):
    cues = list(pysubs2.load(str(path), encoding="utf-8"))
    times = [time for cue in cues for time in (cue.start, cue.end)]
    assert 35 <= len(cues) <= 60
    assert all(earlier < later for earlier, later in pairwise(times))
    assert all(3000 <= cue.duration <= 7000 for cue in cues)
    assert 4 * 60_000 <= times[-1] <= 7 * 60_000
    assert all(cue.plaintext.strip() for cue in cues)


@pytest.mark.parametrize("path", SUBTITLES, ids=lambda path: path.stem)
def test_every_subtitle_file_belongs_to_a_note(path: Path):
    assert path.stem in {note.stem for note in NOTES}


def test_every_concept_is_named_once_and_defined():
    concepts = read_concepts()
    names = [name.lower() for concept in concepts for name in (concept["name"], *concept["aliases"])]
    assert len(concepts) >= 45
    assert len(names) == len(set(names))
    for concept in concepts:
        assert concept["definition"].endswith("。")
        assert concept["domains"]
        assert any(re.search("[A-Za-z]", alias) for alias in concept["aliases"])


def test_prerequisites_are_defined_direct_and_without_a_cycle():
    concepts = read_concepts()
    names = {concept["name"] for concept in concepts}
    graph = nx.DiGraph(
        (before, concept["name"]) for concept in concepts for before in concept["prerequisites"]
    )
    assert set(graph) <= names
    assert all(len(concept["prerequisites"]) <= 3 for concept in concepts)
    assert nx.is_directed_acyclic_graph(graph)
    assert set(nx.transitive_reduction(graph).edges) == set(graph.edges)


def test_stack_and_queue_each_rest_on_their_own_order_rule():
    prerequisites = {concept["name"]: concept["prerequisites"] for concept in read_concepts()}
    assert prerequisites["栈"] == ["线性表", "后进先出"]
    assert prerequisites["队列"] == ["线性表", "先进先出"]


@pytest.mark.parametrize(("name", "least"), [("faq.csv", 40), ("platform_faq.csv", 15)])
def test_faq_has_enough_different_questions_each_answered(name: str, least: int):
    rows = read_table(name)
    assert len(rows) >= least
    assert len({row["question"].strip() for row in rows}) == len(rows)
    assert all(row["question"].strip() and row["answer"].strip().endswith("。") for row in rows)


def test_no_faq_or_heading_compares_stack_with_queue():
    headings = [
        line for note in NOTES for line in note.read_text(encoding="utf-8").splitlines() if line[:1] == "#"
    ]
    questions = [row["question"] for row in read_table("faq.csv")]
    for texts in (headings, questions):
        of_stack, of_queue = ({text for text in texts if word in text} for word in ("栈", "队列"))
        assert of_stack
        assert of_queue
        assert not of_stack & of_queue
