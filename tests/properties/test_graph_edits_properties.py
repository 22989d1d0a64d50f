"""Laws of graph edits, on whatever sequences hypothesis thinks of."""

from __future__ import annotations

from datetime import UTC, datetime

import factories as make
from hypothesis import given
from hypothesis import strategies as st

from concept_graph.edited_course import apply_edits
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.headings import ConceptSet
from concept_graph.names import concept_id
from vta.text import normalise
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import ConceptId

COURSE = make.course()

names = st.sampled_from(["stack", "Stacks", "queue", "栈", "棧", "表", "heap"])
edits = st.one_of(
    st.builds(AddConcept, name=names, aliases=st.tuples(names)),
    st.builds(RejectConcept, concept=names),
    st.builds(RenameConcept, concept=names, name=names),
    st.builds(MergeConcepts, concept=names, other=names),
    st.builds(ExplainConcept, concept=names, definition=st.sampled_from(["one", "two"])),
    st.builds(LinkConcepts, prerequisite=names, concept=names),
    st.builds(UnlinkConcepts, prerequisite=names, concept=names),
)


@st.composite
def builds(draw: st.DrawFn) -> ConceptSet:
    """What a build may find: some of the names, each concept once, and edges between them."""
    found = {concept_id(COURSE.id, name): name for name in draw(st.lists(names, max_size=6))}
    concepts = tuple(
        Concept(id=id, name=name, courses=(COURSE.id,), score=0.5, built=True) for id, name in found.items()
    )
    pairs = [(a, b) for a in found for b in found if a != b]
    ends = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=8)) if pairs else []
    return in_order((concepts, tuple(ConceptEdge(prerequisite=a, concept=b, score=0.5) for a, b in ends)))


def in_order(graph: ConceptSet) -> ConceptSet:
    """The same with the edges by their ends: their order means nothing."""
    concepts, edges = graph
    return concepts, tuple(sorted(edges, key=lambda edge: (edge.prerequisite, edge.concept)))


def record(made: list[GraphEdit]) -> list[RecordedEdit]:
    at = datetime(2024, 3, 1, tzinfo=UTC)
    return [
        RecordedEdit(course_id=COURSE.id, number=n, edit=edit, created_at=at)
        for n, edit in enumerate(made, start=1)
    ]


@given(builds(), st.lists(edits, max_size=8))
def test_an_edited_graph_holds_together(built: ConceptSet, recorded: list[GraphEdit]) -> None:
    """Ids are those of the names and come once, edges join concepts that are there, and none joins itself."""
    (concepts, edges), _ = apply_edits(built, record(recorded))
    assert [each.id for each in concepts] == [concept_id(COURSE.id, each.name) for each in concepts]
    assert len({each.id for each in concepts}) == len(concepts)
    assert all(edge.prerequisite != edge.concept for edge in edges)
    assert set(NetworkxConceptGraph(concepts, edges).concepts(COURSE.id)) == set(concepts)
    assert all(normalise(each.name) not in map(normalise, each.aliases) for each in concepts)


@given(builds(), builds(), st.lists(edits, max_size=5), edits)
def test_the_last_edit_holds_on_every_build(
    built: ConceptSet, rebuilt: ConceptSet, recorded: list[GraphEdit], last: GraphEdit
) -> None:
    """Where it has an effect, what it says is so; where it has none, it changes nothing."""
    for build in (built, rebuilt):
        before = in_order(apply_edits(build, record(recorded))[0])
        after, idle = apply_edits(build, record([*recorded, last]))
        if len(recorded) + 1 in {each.number for each in idle}:
            assert in_order(after) == before
        else:
            assert holds(last, after)


def holds(edit: GraphEdit, graph: ConceptSet) -> bool:
    concepts = {each.id: each for each in graph[0]}
    edges = {(each.prerequisite, each.concept): each for each in graph[1]}

    def ids(name: str) -> set[ConceptId]:
        """Concepts that the name may mean: itself, or in the singular or plural."""
        like = {"stack": ("stack", "stacks"), "stacks": ("stack", "stacks")}.get(normalise(name), (name,))
        return {concept_id(COURSE.id, each) for each in like} & concepts.keys()

    match edit:
        case AddConcept(name=name):
            return any(concepts[each].curated for each in ids(name))
        case RejectConcept(concept=name):
            return concept_id(COURSE.id, name) not in concepts
        case RenameConcept(name=name):
            return any(concepts[each].curated for each in ids(name))
        case MergeConcepts(concept=name, other=other):
            return bool(ids(name)) and (concept_id(COURSE.id, other) not in concepts)
        case ExplainConcept(concept=name, definition=definition):
            return any(concepts[each].definition == definition for each in ids(name))
        case LinkConcepts(prerequisite=a, concept=b):
            return any(edges[x, y].curated for x in ids(a) for y in ids(b) if (x, y) in edges)
        case UnlinkConcepts(prerequisite=a, concept=b):
            return (concept_id(COURSE.id, a), concept_id(COURSE.id, b)) not in edges
