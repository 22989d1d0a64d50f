"""The networkx graph beyond its contract: cycles and repeated edges."""

from __future__ import annotations

from concept_graph.graph import NetworkxConceptGraph
from vta.types import Concept, ConceptEdge, ConceptId


def graph(*edges: tuple[str, str, float]) -> NetworkxConceptGraph:
    names = dict.fromkeys(end for before, after, _ in edges for end in (before, after))
    return NetworkxConceptGraph(
        [Concept(id=ConceptId(name), name=name) for name in names],
        [edge(before, after, score) for before, after, score in edges],
    )


def edge(before: str, after: str, score: float, *evidence: str) -> ConceptEdge:
    return ConceptEdge(
        prerequisite=ConceptId(before), concept=ConceptId(after), score=score, evidence=evidence
    )


def test_the_weakest_edge_of_a_cycle_is_removed_and_reported() -> None:
    """Of 数组 -> 链表 -> 栈 -> 数组 the least sure edge goes; the others stay."""
    made = graph(("数组", "链表", 0.9), ("链表", "栈", 0.4), ("栈", "数组", 0.5))
    assert made.removed_edges == (edge("链表", "栈", 0.4),)
    assert made.edges() == (edge("栈", "数组", 0.5), edge("数组", "链表", 0.9))


def test_two_cycles_lose_one_edge_each() -> None:
    """Cycles that share an edge are both broken, the shared one going only if it is the weakest."""
    made = graph(("a", "b", 0.9), ("b", "a", 0.2), ("b", "c", 0.8), ("c", "a", 0.3))
    assert made.removed_edges == (edge("c", "a", 0.3), edge("b", "a", 0.2))
    assert graph(("a", "b", 0.1), ("b", "a", 0.2), ("b", "c", 0.8), ("c", "a", 0.3)).removed_edges == (
        edge("a", "b", 0.1),
    )


def test_an_edge_to_itself_is_a_cycle() -> None:
    """A concept is never its own prerequisite."""
    assert graph(("a", "a", 1.0)).removed_edges == (edge("a", "a", 1.0),)


def test_without_cycles_nothing_is_removed() -> None:
    """A graph that is acyclic already is kept whole."""
    assert graph(("a", "b", 0.1), ("b", "c", 0.1), ("a", "c", 0.1)).removed_edges == ()


def test_an_edge_given_twice_keeps_the_higher_score_and_all_evidence() -> None:
    """Two reports of one edge are one edge that nothing is lost of."""
    concepts = [Concept(id=ConceptId(name), name=name) for name in "ab"]
    made = NetworkxConceptGraph(
        concepts, [edge("a", "b", 0.3, "x", "y"), edge("a", "b", 0.7, "y", "z"), edge("a", "b", 0.1)]
    )
    assert made.edges() == (edge("a", "b", 0.7, "x", "y", "z"),)


def test_an_edge_that_a_person_wrote_stays_sure_where_it_is_also_found() -> None:
    written = ConceptEdge(
        prerequisite=ConceptId("栈"), concept=ConceptId("队列"), score=0.2, evidence=("a.md",), curated=True
    )
    concepts = [Concept(id=end, name=end) for end in (written.prerequisite, written.concept)]
    for edges in ([written, edge("栈", "队列", 0.3)], [edge("栈", "队列", 0.3), written]):
        (found,) = NetworkxConceptGraph(concepts, edges).edges()
        assert found.is_sure
        assert found.score == 0.3
