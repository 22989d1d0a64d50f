"""What an edit must hold before it is recorded, and how each fault is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from concept_graph.concept_file import MAX_NAME
from concept_graph.edit_rules import LONGEST_TEXT, check_edit
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.names import concept_id
from vta.errors import InvalidInput, NotFound
from vta.languages import Language
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import Course, CourseId

COURSE = Course(id=CourseId("ds"), name="数据结构", domains=("计算机",), language=Language.ZH)


def concept(name: str, *aliases: str) -> Concept:
    return Concept(id=concept_id(COURSE.id, name), name=name, aliases=aliases, courses=(COURSE.id,))


def edge(before: str, after: str) -> ConceptEdge:
    return ConceptEdge(prerequisite=concept_id(COURSE.id, before), concept=concept_id(COURSE.id, after))


FOREIGN = Concept(id=concept_id(CourseId("ml"), "张量"), name="张量", courses=(CourseId("ml"),))
GRAPH = NetworkxConceptGraph(
    [concept("线性表", "linear list"), concept("栈", "Stack"), concept("栈帧"), FOREIGN],
    [edge("线性表", "栈"), edge("栈", "栈帧")],
)


def check(edit: GraphEdit) -> GraphEdit:
    return check_edit(edit, course=COURSE, graph=GRAPH)


def test_concepts_are_recorded_by_their_names() -> None:
    """However a person calls them: by an alias, in the plural, in another script or with spaces."""
    assert check(RejectConcept(concept=" STACKS ")) == RejectConcept(concept="栈")
    assert check(MergeConcepts(concept="線性表", other="stack")) == MergeConcepts(
        concept="线性表", other="栈"
    )
    assert check(LinkConcepts(prerequisite="Linear Lists", concept="棧幀")) == LinkConcepts(
        prerequisite="线性表", concept="栈帧"
    )
    assert check(UnlinkConcepts(prerequisite="linear list", concept="stack")) == UnlinkConcepts(
        prerequisite="线性表", concept="栈"
    )
    assert check(RenameConcept(concept="stack", name=" Stack ")) == RenameConcept(concept="栈", name="Stack")
    assert check(ExplainConcept(concept="stack", definition=" d\n")) == ExplainConcept(
        concept="栈", definition="d"
    )


def test_an_added_concept_is_in_the_domains_of_the_course() -> None:
    """Unless others are given."""
    assert check(AddConcept(name="队列")) == AddConcept(name="队列", domains=("计算机",))
    given = AddConcept(name="队列", aliases=("queue",), definition="d", domains=("maths",))
    assert check(given) == given


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (RejectConcept(concept="图书馆"), "concept"),
        (RejectConcept(concept="张量"), "concept"),
        (RenameConcept(concept="图书馆", name="馆"), "concept"),
        (MergeConcepts(concept="图书馆", other="栈"), "concept"),
        (MergeConcepts(concept="栈", other="图书馆"), "other"),
        (ExplainConcept(concept="图书馆", definition="d"), "concept"),
        (LinkConcepts(prerequisite="图书馆", concept="栈"), "prerequisite"),
        (LinkConcepts(prerequisite="栈", concept="图书馆"), "concept"),
        (UnlinkConcepts(prerequisite="线性表", concept="图书馆"), "concept"),
        (UnlinkConcepts(prerequisite="线性表", concept="栈帧"), "prerequisite"),
        (UnlinkConcepts(prerequisite="栈", concept="线性表"), "prerequisite"),
    ],
)
def test_what_is_not_there_is_not_found(edit: GraphEdit, field: str) -> None:
    """The error names the field; a concept of another course is not there, nor an implied edge."""
    with pytest.raises(NotFound, match=field) as caught:
        check(edit)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("edit", "field", "said"),
    [
        (AddConcept(name="stacks"), "name", "'栈'"),
        (AddConcept(name="队列", aliases=("queue", "Linear  List")), "aliases[1]", "'线性表'"),
        (AddConcept(name=" "), "name", "empty"),
        (AddConcept(name="队\n列"), "name", "one line"),
        (AddConcept(name="a\u0000"), "name", "control"),
        (AddConcept(name="\ud800"), "name", "surrogates"),
        (AddConcept(name="a" * (MAX_NAME + 1)), "name", str(MAX_NAME)),
        (AddConcept(name="队列", domains=(" ",)), "domains[0]", "empty"),
        (RenameConcept(concept="stack", name="线性表"), "name", "'线性表'"),
        (RenameConcept(concept="stack", name="栈"), "name", "already"),
        (MergeConcepts(concept="栈", other="Stack"), "other", "'栈'"),
        (ExplainConcept(concept="栈", definition="长" * (LONGEST_TEXT + 1)), "definition", str(LONGEST_TEXT)),
        (LinkConcepts(prerequisite="栈", concept="Stack"), "prerequisite", "栈 -> 栈"),
        (LinkConcepts(prerequisite="栈帧", concept="栈"), "prerequisite", "栈帧 -> 栈 -> 栈帧"),
        (LinkConcepts(prerequisite="栈帧", concept="线性表"), "prerequisite", "栈帧 -> 线性表 -> 栈 -> 栈帧"),
    ],
)
def test_what_cannot_be_recorded_is_refused(edit: GraphEdit, field: str, said: str) -> None:
    """The error names the field and what stands against it: the concept, the limit, the cycle."""
    with pytest.raises(InvalidInput) as caught:
        check(edit)
    assert caught.value.field == field
    assert said in caught.value.message


def test_adding_what_was_found_confirms_it_and_no_more() -> None:
    """Under its own name: one that a person has confirmed already, or another's alias, is taken."""
    found = replace(concept("栈", "stack"), score=0.5, built=True)
    known = NetworkxConceptGraph([found, replace(concept("队列"), curated=True)], [])
    added = check_edit(AddConcept(name="栈", definition="d"), course=COURSE, graph=known)
    assert added == AddConcept(name="栈", definition="d", domains=("计算机",))
    for taken in ("队列", "stack"):
        with pytest.raises(InvalidInput, match="name"):
            check_edit(AddConcept(name=taken), course=COURSE, graph=known)
