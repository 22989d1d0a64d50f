"""The graph of the platform from its documents, and the reader of concept files."""

from __future__ import annotations

import io

import pytest

from concept_graph.by_course import unite
from concept_graph.concept_file import ConceptFileReader
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course, CourseId

COURSE = Course(id=CourseId("ds"), name="DS", domains=("计算机",), language=Language.ZH)


def concept(name: str, course: str = "ds", **more) -> Concept:
    return Concept(id=ConceptId(f"{course}:{name}"), name=name, courses=(CourseId(course),), **more)


def edge(before: Concept, after: Concept, **more) -> ConceptEdge:
    return ConceptEdge(prerequisite=before.id, concept=after.id, **more)


def test_a_concept_of_several_documents_is_one():
    """It has the first explanation there is, with its place, and every alias."""
    first = concept("stack", aliases=("LIFO",), document="a.md")
    second = concept("stack", aliases=("pile",), definition="last in, first out", document="b.md")
    third = concept("stack", definition="another", document="c.md")
    (found,), _ = unite([((first, second), ()), ((third,), ())])
    assert (found.definition, found.document) == ("last in, first out", "b.md")
    assert set(found.aliases) == {"LIFO", "pile"}


def test_curated_concepts_rule_their_course():
    """Weak concepts beside them go, with their edges; what they explain is kept."""
    stack, heap = concept("stack", curated=True), concept("heap", curated=True)
    weak_stack = concept("stack", definition="last in, first out", document="a.md")
    chapter = concept("chapter one")
    concepts, edges = unite(
        [
            ((weak_stack, chapter, concept("heap")), (edge(chapter, weak_stack), edge(weak_stack, heap))),
            ((stack, heap), (edge(stack, heap, curated=True, score=0.9),)),
        ]
    )
    assert {c.id: c.definition for c in concepts} == {stack.id: "last in, first out", heap.id: ""}
    assert edges == (edge(stack, heap, curated=True, score=0.9),)


def test_a_course_without_curated_concepts_keeps_its_weak_ones():
    """What a person wrote for one course says nothing of another."""
    curated, weak, weaker = concept("stack", curated=True), concept("tree", "ml"), concept("leaf", "ml")
    concepts, edges = unite([((weak, weaker, curated), (edge(weak, weaker),))])
    assert {c.id for c in concepts} == {curated.id, weak.id, weaker.id}
    assert edges == (edge(weak, weaker),)


def test_built_concepts_rule_those_of_headings():
    """What headings say only completes a built graph: its places and explanations, none of its edges."""
    stack, heap = concept("stack", built=True), concept("heap", built=True)
    weak_stack = concept("stack", definition="last in, first out", document="a.md")
    chapter = concept("chapter one")
    concepts, edges = unite(
        [
            ((stack, heap), (edge(stack, heap, score=0.9),)),
            ((weak_stack, chapter, concept("heap")), (edge(chapter, weak_stack), edge(heap, weak_stack))),
        ]
    )
    assert {c.id: c.definition for c in concepts} == {stack.id: "last in, first out", heap.id: ""}
    assert edges == (edge(stack, heap, score=0.9),)


@pytest.mark.parametrize("order", [1, -1])
def test_a_built_graph_loses_no_curated_concept(order: int):
    """Curated concepts stay as they are written, completed by the built ones and by headings."""
    stack = concept("stack", curated=True, definition="a pile")
    heap = concept("heap", curated=True)
    queue = concept("queue", curated=True)
    curated = ((stack, heap, queue), (edge(stack, heap, curated=True),))
    built = (
        (concept("stack", built=True, definition="wrong"), concept("queue", built=True, definition="a line"),
         concept("noise", built=True)),
        (edge(heap, stack),),
    )  # fmt: skip
    weak = ((concept("heap", definition="a tree", document="a.md"),), ())
    concepts, edges = unite([curated, built, weak][::order])
    definitions = {c.id: c.definition for c in concepts}
    assert definitions == {stack.id: "a pile", heap.id: "a tree", queue.id: "a line"}
    assert all(c.curated for c in concepts)
    assert edges == (edge(stack, heap, curated=True),)


def test_the_same_name_in_two_courses_is_two_concepts():
    """Nothing of one course's explanation reaches the other."""
    concepts, _ = unite([((concept("stack", definition="a"), concept("stack", "ml")), ())])
    assert {c.id: c.definition for c in concepts} == {"ds:stack": "a", "ml:stack": ""}


def test_an_edge_of_several_documents_is_one():
    """It is as sure as the surest, and every line that says so is kept once."""
    ends = concept("list"), concept("stack")
    said = [edge(*ends, score=0.3, evidence=("a",)), edge(*ends, score=0.5, evidence=("b", "a"))]
    assert unite([(ends, (said[0],)), (ends, (said[1],)), (ends, (said[0],))])[1] == (
        edge(*ends, score=0.5, evidence=("a", "b")),
    )


def test_nothing_makes_an_empty_graph():
    """No documents, no concepts."""
    assert unite([]) == ((), ())


@pytest.mark.parametrize(
    ("path", "handled"),
    [
        ("concepts.json", True),
        ("a/concepts.json", True),
        ("my-concepts.json", False),
        ("concepts.jsonl", False),
    ],
)
def test_concept_files_go_by_their_name(path, handled):
    """Only `concepts.json` is one, in any folder."""
    assert ConceptFileReader().handles(path) is handled


def test_a_concept_file_is_read_with_its_byte_order_mark():
    """As Windows editors save it; concepts and edges are of the course that reads it."""
    text = '\ufeff{"concepts": [{"name": "栈"}, {"name": "表", "definition": "…"}]}'
    document = ConceptFileReader().read(io.BytesIO(text.encode()), path="concepts.json", course=COURSE)
    assert [c.name for c in document.concepts] == ["栈", "表"]
    assert all(c.curated and c.courses == (COURSE.id,) for c in document.concepts)
    assert document.pairs == ()


@pytest.mark.parametrize(
    ("data", "line"), [(b"{\n\xff", 2), (b"\xef\xbb\xbf\n\n\n\xff", 4), (b'{"concepts":\n[}', 2)]
)
def test_a_fault_of_a_concept_file_names_path_and_line(data, line):
    """Bytes that are not UTF-8, and broken JSON."""
    with pytest.raises(InvalidInput, match=r"concepts\.json") as raised:
        ConceptFileReader().read(io.BytesIO(data), path="concepts.json", course=COURSE)
    assert (raised.value.path, raised.value.line) == ("concepts.json", line)
