"""Laws of the concept graph and its file, on whatever hypothesis thinks of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import factories as make
import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sql_stores import new_stores

from concept_graph.by_course import unite
from concept_graph.concept_file import read_concepts, write_concepts
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.graphml import write_graphml
from concept_graph.mentions import DictionaryLinker
from concept_graph.mooccubex import write_mooccubex
from concept_graph.names import concept_id
from concept_graph.paths import MOST_IN_COLUMN, find_neighbourhood, study_concept
from services.graph.files import import_graph, write_folder
from services.stores import Stores
from vta.text import normalise
from vta.types.concepts import SURE, Concept, ConceptEdge

COURSE = make.course()

shares = st.floats(min_value=0, max_value=1, allow_nan=False)
EIGHT = [make.concept(str(n)) for n in range(8)]
nodes = st.sampled_from([each.id for each in EIGHT])
edges_between = st.lists(
    st.builds(ConceptEdge, prerequisite=nodes, concept=nodes, score=st.sampled_from([0.1, 0.9, 0.95])),
    unique_by=lambda each: (each.prerequisite, each.concept),
    max_size=30,
)
texts = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=20
)  # what XML can hold
names = texts.map(str.strip).filter(normalise)


@given(edges_between)
def test_cycles_are_always_broken(edges: list[ConceptEdge]) -> None:
    """What remains is acyclic, nothing comes in, and each edge that is left out was weakest."""
    graph = NetworkxConceptGraph(EIGHT, edges)
    assert set(graph.edges()) <= set(edges)
    assert nx.is_directed_acyclic_graph(nx.DiGraph([(e.prerequisite, e.concept) for e in graph.edges()]))
    for removed in set(edges) - set(graph.edges()):
        as_sure = nx.DiGraph([(e.prerequisite, e.concept) for e in graph.edges() if e.score >= removed.score])
        as_sure.add_nodes_from((removed.prerequisite, removed.concept))
        assert nx.has_path(as_sure, removed.concept, removed.prerequisite)


def build(edges: list[ConceptEdge]) -> tuple[NetworkxConceptGraph, nx.DiGraph[str]]:
    """The graph of eight concepts, and the same as networkx sees it."""
    graph = NetworkxConceptGraph(EIGHT, edges)
    digraph: nx.DiGraph[str] = nx.DiGraph([(e.prerequisite, e.concept) for e in graph.edges()])
    digraph.add_nodes_from(concept.id for concept in graph.concepts())
    return graph, digraph


@given(edges_between, st.integers(1, 8), st.integers(1, 8))
def test_a_learning_path_never_runs_ahead(edges: list[ConceptEdge], farthest: int, most: int) -> None:
    """Steps are what leads to it over sure edges; what leads to a step over any chain stands before it."""
    graph, digraph = build(edges)
    sure: nx.DiGraph[str] = nx.DiGraph()
    sure.add_nodes_from(digraph)
    sure.add_edges_from((e.prerequisite, e.concept) for e in graph.edges() if e.score >= SURE)
    for concept in graph.concepts():
        study = study_concept(graph, concept, find_place=lambda _: None, farthest=farthest, most=most)
        path = [step.concept.id for step in study.path]
        ancestors = nx.ancestors(sure, concept.id)
        assert set(path) <= ancestors
        assert len(path) + study.path_left_out == len(ancestors)
        assert len(path) <= most
        assert all(step.distance <= farthest for step in study.path)
        if farthest == most == 8:
            assert set(path) == ancestors
        for place, each in enumerate(path):
            assert nx.ancestors(digraph, each) & set(path) <= set(path[:place])


@given(edges_between, st.integers(1, 2))
def test_a_neighbourhood_tells_the_order_and_nothing_twice(edges: list[ConceptEdge], depth: int) -> None:
    """Its pairs say what all sure chains of the graph say of those shown, and none follows from others."""
    graph, _ = build(edges)
    _, digraph = build([each for each in graph.edges() if each.is_sure])
    for concept in graph.concepts():
        near = find_neighbourhood(graph, concept, depth=depth)
        shown = [concept.id, *(c.id for column in near.before for c in column), *(c.id for c in near.after)]
        assert len(set(shown)) == len(shown) <= 1 + MOST_IN_COLUMN * (depth + 1)
        told = nx.DiGraph(near.order)
        told.add_nodes_from(shown)
        assert set(nx.transitive_closure_dag(told).edges) == {
            (a, b) for a in shown for b in nx.descendants(digraph, a) & set(shown)
        }
        assert set(nx.transitive_reduction(told).edges) == set(near.order)
        for n, column in enumerate(near.before):
            level = {concept.id} if n == 0 else {c.id for c in near.before[n - 1]}
            assert all(level & set(told.successors(each.id)) for each in column)


@st.composite
def concept_sets(draw: st.DrawFn) -> tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]:
    groups = draw(
        st.lists(st.lists(names, min_size=1, max_size=3), max_size=5).filter(
            lambda found: len({normalise(n) for g in found for n in g}) == sum(map(len, found))
        )
    )
    concepts = tuple(
        Concept(
            id=concept_id(COURSE.id, name),
            name=name,
            aliases=tuple(aliases),
            definition=draw(texts),
            domains=tuple(draw(st.lists(texts, max_size=2))),
            courses=(COURSE.id,),
            score=draw(shares),
            curated=True,
            first_seen=draw(st.none() | texts.filter(bool)),
        )
        for name, *aliases in groups
    )
    pairs = [(a.id, b.id) for a in concepts for b in concepts if a is not b]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6)) if pairs else []
    return concepts, tuple(
        ConceptEdge(
            prerequisite=before,
            concept=after,
            score=draw(shares),
            evidence=tuple(draw(st.lists(texts, max_size=2))),
            curated=True,
        )
        for before, after in chosen
    )


@given(concept_sets())
def test_what_is_written_is_read_again(written: tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]) -> None:
    """A concept file read after writing gives the same concepts and edges in the same order."""
    assert read_concepts(write_concepts(*written), path="concepts.json", course=COURSE) == written


def exported(graph: NetworkxConceptGraph, form: str, folder: Path) -> dict[str, str]:
    """The graph as the files of a form, which are written into the folder."""
    concepts, edges = graph.concepts(COURSE.id), graph.edges(COURSE.id)
    if form == "mooccubex":
        files = write_mooccubex(concepts, edges, course=COURSE)
    else:
        write = write_concepts if form == "json" else write_graphml
        files = {f"graph.{form}": write(concepts, edges)}
    write_folder(files, folder)
    return files


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = new_stores(tmp_path_factory.mktemp("store"), COURSE)
    yield opened
    opened.close()


@pytest.mark.parametrize("form", ["json", "graphml", "mooccubex"])
@given(drawn=concept_sets())
def test_what_is_exported_is_imported_again(
    stores: Stores, form: str, drawn: tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]
) -> None:
    """Exporting what a course imported gives the very files that were imported."""
    documents = stores.documents
    with TemporaryDirectory() as place:
        first = Path(place, "first")
        files = exported(NetworkxConceptGraph(*drawn), form, first)
        imported = import_graph(
            first if form == "mooccubex" else first / f"graph.{form}", course=COURSE, documents=documents
        )
        assert (imported.concepts, imported.left_out) == (len(drawn[0]), 0)
        graph = NetworkxConceptGraph(*unite(documents.concepts()))
        assert exported(graph, form, Path(place, "second")) == files


@given(
    concept_sets(),
    st.lists(st.sampled_from(["栈", "图书馆", "stacks ", "C++", " the ", "。"]) | texts, max_size=6),
)
def test_mentions_lie_apart_and_in_order(
    given_set: tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]], pieces: list[str]
) -> None:
    """Mentions in any text lie apart and in order, name each concept once and give what stands there."""
    text = "".join(pieces + [each.name for each in given_set[0]])
    mentions = DictionaryLinker(given_set[0]).link(text, course=COURSE)
    assert all(a.end <= b.start for a, b in pairwise(mentions))
    assert len({each.concept.id for each in mentions}) == len(mentions)
    assert all(normalise(text)[each.start : each.end] == each.surface != "" for each in mentions)
