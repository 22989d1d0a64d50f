"""What every `ConceptGraph` keeps, held against the networkx graph and a small one made of dicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from plain_faults import plain

from concept_graph.graph import NetworkxConceptGraph
from vta.errors import InvalidInput, NotFound
from vta.ports import ConceptGraph
from vta.types import Concept, ConceptEdge, ConceptId, CourseId

DS, ML = CourseId("ds"), CourseId("ml")


class DictConceptGraph:
    """The smallest honest graph: dicts, for acyclic edges that are each given once."""

    def __init__(self, concepts: Sequence[Concept], edges: Sequence[ConceptEdge]) -> None:
        self._concepts = {each.id: each for each in concepts}
        self._edges = tuple(edges)
        if len(self._concepts) != len(concepts):
            raise InvalidInput(plain("a concept is given twice"))
        if not all(end in self._concepts for edge in edges for end in (edge.prerequisite, edge.concept)):
            raise InvalidInput(plain("an edge names an unknown concept"))

    def concept(self, concept_id: ConceptId) -> Concept:
        if concept_id not in self._concepts:
            raise NotFound(plain(f"no concept {concept_id!r}"))
        return self._concepts[concept_id]

    def concepts(self, course_id: CourseId | None = None) -> tuple[Concept, ...]:
        chosen = [c for c in self._concepts.values() if course_id is None or course_id in c.courses]
        return tuple(sorted(chosen, key=lambda each: (each.name, each.id)))

    def prerequisites(self, concept_id: ConceptId, *, least: float = 0.0) -> tuple[Concept, ...]:
        self.concept(concept_id)
        found = [
            (-e.score, self.concept(e.prerequisite).name, e.prerequisite)
            for e in self._edges
            if e.concept == concept_id and (e.curated or e.score >= least)
        ]
        return tuple(self.concept(each) for _, _, each in sorted(found))

    def edges(self, course_id: CourseId | None = None) -> tuple[ConceptEdge, ...]:
        inside = {each.id for each in self.concepts(course_id)}
        chosen = [e for e in self._edges if {e.prerequisite, e.concept} <= inside]
        return tuple(sorted(chosen, key=lambda each: (each.concept, each.prerequisite)))

    def chains(self, concept_id: ConceptId, *, onward: bool = False) -> tuple[ConceptEdge, ...]:
        self.concept(concept_id)
        reached = {concept_id}
        for _ in self._edges:
            if onward:
                reached |= {e.concept for e in self._edges if e.prerequisite in reached}
            else:
                reached |= {e.prerequisite for e in self._edges if e.concept in reached}
        return tuple(e for e in self.edges() if (e.prerequisite if onward else e.concept) in reached)


Build = Callable[[Sequence[Concept], Sequence[ConceptEdge]], ConceptGraph]


@pytest.fixture(params=[NetworkxConceptGraph, DictConceptGraph])
def build(request: pytest.FixtureRequest) -> Build:
    made: Build = request.param
    return made


def concept(name: str, *courses: CourseId) -> Concept:
    return Concept(id=ConceptId(f"id-{name}"), name=name, courses=courses or (DS,))


def edge(before: str, after: str, score: float = 1.0) -> ConceptEdge:
    return ConceptEdge(
        prerequisite=ConceptId(f"id-{before}"),
        concept=ConceptId(f"id-{after}"),
        score=score,
        evidence=("line",),
    )


def test_a_concept_is_found_by_its_id(build: Build) -> None:
    """What was put in under an id comes out under it unchanged."""
    stack = concept("栈")
    assert build([stack, concept("stack")], []).concept(stack.id) == stack


@pytest.mark.parametrize("ask", ["concept", "prerequisites", "chains"])
def test_an_unknown_id_is_not_found(build: Build, ask: str) -> None:
    """Asking about an id that no concept has is `NotFound`, not an empty answer."""
    with pytest.raises(NotFound):
        getattr(build([concept("栈")], []), ask)(ConceptId("id-heap"))


def test_concepts_come_by_name_and_by_course(build: Build) -> None:
    """All concepts come sorted by name, or only those of one course."""
    graph = build([concept("tree"), concept("heap", DS, ML), concept("bias", ML)], [])
    assert [each.name for each in graph.concepts()] == ["bias", "heap", "tree"]
    assert [each.name for each in graph.concepts(DS)] == ["heap", "tree"]
    assert graph.concepts(CourseId("none")) == ()


def test_prerequisites_come_surest_first_then_by_name(build: Build) -> None:
    """Direct prerequisites only, in falling score, equal scores by name."""
    edges = [edge("c", "top", 0.5), edge("b", "top", 0.5), edge("a", "top", 0.2), edge("d", "top", 0.9)]
    graph = build(
        [concept(name) for name in ("a", "b", "c", "d", "under", "top")], [*edges, edge("under", "d")]
    )
    assert [each.name for each in graph.prerequisites(ConceptId("id-top"))] == ["d", "b", "c", "a"]
    assert graph.prerequisites(ConceptId("id-under")) == ()


def test_edges_of_a_course_have_both_ends_in_it(build: Build) -> None:
    """An edge between two courses belongs to neither alone, and all edges keep score and evidence."""
    graph = build(
        [concept("a"), concept("b", DS, ML), concept("c", ML)],
        [edge("b", "c", 0.4), edge("a", "b"), edge("a", "c")],
    )
    assert graph.edges(DS) == (edge("a", "b"),)
    assert graph.edges(ML) == (edge("b", "c", 0.4),)
    assert graph.edges() == (edge("a", "b"), edge("a", "c"), edge("b", "c", 0.4))


def test_chains_lead_to_the_concept_or_away_from_it(build: Build) -> None:
    """All chains in both directions, with score and evidence; what only shares a neighbour is not there."""
    graph = build(
        [concept(name) for name in ("before", "first", "it", "then", "later", "aside", "alone")],
        [
            edge("before", "first", 0.3),
            edge("first", "it"),
            edge("it", "then"),
            edge("then", "later"),
            edge("aside", "then"),
            edge("before", "aside"),
        ],
    )
    assert graph.chains(ConceptId("id-it")) == (edge("before", "first", 0.3), edge("first", "it"))
    assert graph.chains(ConceptId("id-it"), onward=True) == (edge("then", "later"), edge("it", "then"))
    assert graph.chains(ConceptId("id-alone")) == graph.chains(ConceptId("id-alone"), onward=True) == ()


def test_an_edge_must_name_known_concepts(build: Build) -> None:
    """An edge to a concept that is not there is `InvalidInput`."""
    with pytest.raises(InvalidInput):
        build([concept("a")], [edge("a", "b")])


def test_an_id_stands_for_one_concept(build: Build) -> None:
    """Two concepts under one id are `InvalidInput`."""
    with pytest.raises(InvalidInput):
        build([concept("a"), concept("a", ML)], [])


def test_an_empty_graph_is_a_graph(build: Build) -> None:
    """Without concepts there is nothing to list, and that is no error."""
    graph = build([], [])
    assert (graph.concepts(), graph.edges()) == ((), ())
