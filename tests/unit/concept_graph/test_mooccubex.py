"""Files of MOOCCubeX as they are published, and as this project writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from concept_graph.mooccubex import read_mooccubex, write_mooccubex
from concept_graph.names import concept_id
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course, CourseId

COURSE = Course(id=CourseId("ds"), name="数据结构", domains=("计算机",), language=Language.ZH)
CS = "计算机科学与技术"
CONCEPTS = [
    {"id": f"K_栈_{CS}", "name": "栈", "context": "线性表。栈是一种后进先出的线性表。它只在一端插"},
    {"id": "K_栈_数学", "name": "栈", "context": ""},
    {"id": f"K_线性表_{CS}", "name": "线性表", "context": "我们说，线性表是最简单的一种结构，它有"},
    {"id": f"K_队列_{CS}", "name": "队列", "context": "\u0000队列"},
    {"id": "K_梯度_数学", "name": "梯度", "context": "梯度"},
]
PAIRS = [
    {"c1": "线性表", "c2": "栈", "ground_truth": 1, "text_predict": [0.1], "graph_predict": [0.9]},
    {"c1": "线性表", "c2": "队列", "ground_truth": 0, "text_predict": [0.9], "graph_predict": [0.9]},
    {"c1": "栈", "c2": "队列", "ground_truth": -1, "text_predict": [0.9], "graph_predict": [0.9]},
    {"c1": "梯度", "c2": "栈", "ground_truth": 1, "text_predict": [0.1], "graph_predict": [0.9]},
    {"c1": "无名", "c2": "栈", "ground_truth": 1, "text_predict": [0.1], "graph_predict": [0.9]},
]
FILES: dict[str, object] = {
    "entities/concept.json": CONCEPTS,
    "relations/concept-course.txt": [
        (f"K_栈_{CS}", "C_1"), ("K_栈_数学", "C_1"), (f"K_线性表_{CS}", "C_1"), (f"K_队列_{CS}", "C_1"),
        ("K_梯度_数学", "C_2"),
    ],
    "prerequisites/cs.json": PAIRS,
}  # fmt: skip


def put(folder: Path, name: str, content: object) -> Path:
    """One file: bytes as they are, texts, objects a line, or pairs of ids a line."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        rows = (each if isinstance(each, dict) else "\t".join(each) for each in content)
        content = "".join(
            (json.dumps(row, ensure_ascii=False) if isinstance(row, dict) else row) + "\n" for row in rows
        )
    file.write_bytes(content if isinstance(content, bytes) else str(content).encode())
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        put(tmp_path, name, content)
    return tmp_path


def test_a_course_is_read_out_of_published_files(folder: Path) -> None:
    """Its concepts with fields and defining sentence, and the labelled prerequisites."""
    (concepts, edges), left_out = read_mooccubex(folder, course=COURSE, source="C_1")
    stack, array, queue = concepts
    assert [each.name for each in concepts] == ["栈", "线性表", "队列"]
    assert (stack.definition, stack.domains) == ("栈是一种后进先出的线性表。", (CS, "数学"))
    assert (array.definition, queue.definition) == ("", "")
    assert all(each.curated and each.courses == (COURSE.id,) and each.score == 1.0 for each in concepts)
    assert edges == (
        ConceptEdge(
            prerequisite=array.id, concept=stack.id, evidence=("prerequisites/cs.json, line 1",), curated=True
        ),
    )
    assert left_out == 2


def test_the_course_is_the_one_named_or_the_one_of_the_same_id_or_the_only_one(folder: Path) -> None:
    """Where there are several and none is meant, or the one meant is not there, the file is named."""
    (concepts, _), _ = read_mooccubex(folder, course=COURSE, source="C_2")
    assert [each.name for each in concepts] == ["梯度"]
    for source, said in ((None, "2 courses"), ("C_3", "'C_3'")):
        with pytest.raises(InvalidInput, match=said) as caught:
            read_mooccubex(folder, course=COURSE, source=source)
        assert caught.value.field == "--from"
        assert "concept-course.txt" in caught.value.message
    put(folder, "relations/concept-course.txt", [(f"K_队列_{CS}", "ds"), ("K_梯度_数学", "C_2")])
    assert [each.name for each in read_mooccubex(folder, course=COURSE)[0][0]] == ["队列"]
    put(folder, "relations/concept-course.txt", [("K_梯度_数学", "C_2")])
    assert [each.name for each in read_mooccubex(folder, course=COURSE)[0][0]] == ["梯度"]


def test_without_relations_all_concepts_are_read(folder: Path) -> None:
    """From a folder with their pairs, from the file alone without."""
    (folder / "relations/concept-course.txt").unlink()
    (concepts, edges), left_out = read_mooccubex(folder, course=COURSE)
    assert ([each.name for each in concepts], len(edges), left_out) == (
        ["栈", "线性表", "队列", "梯度"],
        2,
        1,
    )
    (concepts, edges), left_out = read_mooccubex(folder / "entities/concept.json", course=COURSE)
    assert (len(concepts), edges, left_out) == (4, (), 0)


def test_what_is_written_has_the_published_shape() -> None:
    """The fields and columns of the published files, with equal ids told apart by a number."""
    stack = Concept(id=concept_id(COURSE.id, "a b"), name="a b", definition="d", domains=("x_y",))
    other = Concept(id=concept_id(COURSE.id, "a b_x"), name="a b_x", domains=("y",))
    edge = ConceptEdge(prerequisite=other.id, concept=stack.id, score=0.5, evidence=("seen",))
    files = write_mooccubex([stack, other], [edge], course=COURSE)
    first, second = map(json.loads, files["entities/concept.json"].splitlines())
    assert (first["id"], first["name"], first["context"]) == ("K_a b_x_y", "a b", "d")
    assert second["id"] == "K_a b_x_y_2"
    assert files["relations/concept-course.txt"] == "K_a b_x_y\tds\nK_a b_x_y_2\tds\n"
    pair = json.loads(files["prerequisites/ds.json"])
    assert (pair["c1"], pair["c2"], pair["ground_truth"]) == ("a b_x", "a b", 1)


@pytest.mark.parametrize(
    ("name", "content", "line", "said"),
    [
        ("entities/concept.json", [CONCEPTS[0], CONCEPTS[0]], 2, "given twice"),
        ("entities/concept.json", [{"id": f"K_栈_{CS}"}], 1, "name"),
        ("entities/concept.json", [{"id": f"K_栈_{CS}", "name": 3}], 1, "must be a text"),
        ("entities/concept.json", '{"id": "K_栈_数学", "name": "栈"}\n\n[1]\n', 3, "object"),
        ("entities/concept.json", '{"id": "K_栈_数学", "name": "栈"}\n{"id"\n', 2, "JSON"),
        ("entities/concept.json", "[" * 100_000, 1, "JSON"),
        ("entities/concept.json", '{"id": "K_栈_数学", "name": "栈"}\n'.encode("gb18030"), 1, "UTF-8"),
        ("entities/concept.json", '{"id": "K", "name": "栈"}\n'.encode("utf-16"), 1, "UTF-8"),
        ("entities/concept.json", CONCEPTS[1:], 1, f"'K_栈_{CS}'"),
        ("relations/concept-course.txt", "K_栈_数学 C_1\n", 1, "tab"),
        ("relations/concept-course.txt", "K_栈_数学\tC_1\n\t\n", 2, "tab"),
        ("relations/concept-course.txt", "K_栈_数学\tC_1\tx\n", 1, "tab"),
        ("prerequisites/cs.json", [PAIRS[0], {"c1": "栈", "ground_truth": 1}], 2, "c2"),
        ("prerequisites/math.json", [{"c1": "栈", "c2": "队列", "ground_truth": "yes"}], 1, "ground_truth"),
        ("prerequisites/cs.json", [{**PAIRS[0], "score": 2}], 1, "score"),
    ],
)
def test_each_fault_names_file_and_line(
    folder: Path, name: str, content: object, line: int, said: str
) -> None:
    """Broken JSON, missing and wrong fields, wrong encodings, unknown ids and rows that are none."""
    put(folder, name, content)
    with pytest.raises(InvalidInput) as caught:
        read_mooccubex(folder, course=COURSE, source="C_1")
    assert said in caught.value.message
    assert caught.value.line == line
    if "there is no concept" not in caught.value.message:
        assert caught.value.path == str(folder / name)


def test_a_folder_without_concepts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"concept\.json: is missing"):
        read_mooccubex(tmp_path, course=COURSE)
