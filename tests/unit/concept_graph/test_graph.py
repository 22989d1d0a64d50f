"""The graph of concepts: what it is asked for, and cycles and repeated edges in what it is made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from concept_graph.graph import NetworkxConceptGraph
from vta.errors import InvalidInput, NotFound
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, CourseId

DS, ML = CourseId("ds"), CourseId("ml")


def concept(name: str, *courses: CourseId) -> Concept:
    return Concept(id=ConceptId(name), name=name, courses=courses or (DS,))


def edge(before: str, after: str, score: float = 1.0, *evidence: str) -> ConceptEdge:
    return ConceptEdge(
        prerequisite=ConceptId(before), concept=ConceptId(after), score=score, evidence=evidence
    )


def graph(*edges: tuple[str, str, float]) -> NetworkxConceptGraph:
    names = dict.fromkeys(end for before, after, _ in edges for end in (before, after))
    return NetworkxConceptGraph(
        [concept(name) for name in names], [edge(before, after, score) for before, after, score in edges]
    )


@pytest.mark.parametrize("ask", ["concept", "prerequisites", "chains"])
def test_an_unknown_id_is_not_found(ask: str) -> None:
    """Asking about an id that no concept has is `NotFound`, not an empty answer."""
    with pytest.raises(NotFound):
        getattr(NetworkxConceptGraph([concept("栈")], []), ask)(ConceptId("heap"))


def test_concepts_come_by_name_and_by_course() -> None:
    """All concepts come sorted by name, or only those of one course."""
    graph = NetworkxConceptGraph([concept("tree"), concept("heap", DS, ML), concept("bias", ML)], [])
    assert [each.name for each in graph.concepts()] == ["bias", "heap", "tree"]
    assert [each.name for each in graph.concepts(DS)] == ["heap", "tree"]
    assert graph.concepts(CourseId("none")) == ()


def test_prerequisites_come_surest_first_then_by_name() -> None:
    """Direct prerequisites only, in falling score, equal scores by name."""
    edges = [edge("c", "top", 0.5), edge("b", "top", 0.5), edge("a", "top", 0.2), edge("d", "top", 0.9)]
    graph = NetworkxConceptGraph(
        [concept(name) for name in ("a", "b", "c", "d", "under", "top")], [*edges, edge("under", "d")]
    )
    assert [each.name for each in graph.prerequisites(ConceptId("top"))] == ["d", "b", "c", "a"]
    assert graph.prerequisites(ConceptId("under")) == ()


def test_edges_of_a_course_have_both_ends_in_it() -> None:
    """An edge between two courses belongs to neither alone, and all edges keep score and evidence."""
    graph = NetworkxConceptGraph(
        [concept("a"), concept("b", DS, ML), concept("c", ML)],
        [edge("b", "c", 0.4), edge("a", "b"), edge("a", "c")],
    )
    assert graph.edges(DS) == (edge("a", "b"),)
    assert graph.edges(ML) == (edge("b", "c", 0.4),)
    assert graph.edges() == (edge("a", "b"), edge("a", "c"), edge("b", "c", 0.4))


def test_chains_lead_to_the_concept_or_away_from_it() -> None:
    """All chains in both directions, with score and evidence; what only shares a neighbour is not there."""
    graph = NetworkxConceptGraph(
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
    assert graph.chains(ConceptId("it")) == (edge("before", "first", 0.3), edge("first", "it"))
    assert graph.chains(ConceptId("it"), onward=True) == (edge("then", "later"), edge("it", "then"))
    assert graph.chains(ConceptId("alone")) == graph.chains(ConceptId("alone"), onward=True) == ()


def test_an_edge_must_name_known_concepts() -> None:
    """An edge to a concept that is not there is `InvalidInput`."""
    with pytest.raises(InvalidInput):
        NetworkxConceptGraph([concept("a")], [edge("a", "b")])


def test_an_id_stands_for_one_concept() -> None:
    """Two concepts under one id are `InvalidInput`."""
    with pytest.raises(InvalidInput):
        NetworkxConceptGraph([concept("a"), concept("a", ML)], [])


def test_the_weakest_edge_of_a_cycle_is_left_out() -> None:
    """Of 数组 -> 链表 -> 栈 -> 数组 the least sure edge goes; the others stay."""
    made = graph(("数组", "链表", 0.9), ("链表", "栈", 0.4), ("栈", "数组", 0.5))
    assert made.edges() == (edge("栈", "数组", 0.5), edge("数组", "链表", 0.9))


def test_an_edge_given_twice_keeps_the_higher_score_and_all_evidence() -> None:
    """Two reports of one edge are one edge that nothing is lost of."""
    concepts = [concept(name) for name in "ab"]
    made = NetworkxConceptGraph(
        concepts, [edge("a", "b", 0.3, "x", "y"), edge("a", "b", 0.7, "y", "z"), edge("a", "b", 0.1)]
    )
    assert made.edges() == (edge("a", "b", 0.7, "x", "y", "z"),)


def test_an_edge_that_a_person_wrote_stays_sure_where_it_is_also_found() -> None:
    written = replace(edge("栈", "队列", 0.2, "a.md"), curated=True)
    concepts = [concept("栈"), concept("队列")]
    for edges in ([written, edge("栈", "队列", 0.3)], [edge("栈", "队列", 0.3), written]):
        (found,) = NetworkxConceptGraph(concepts, edges).edges()
        assert found.is_sure
        assert found.score == 0.3
