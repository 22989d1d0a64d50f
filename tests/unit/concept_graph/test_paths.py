"""What comes before a concept and what builds on it: which concepts are told, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from concept_graph.graph import NetworkxConceptGraph
from concept_graph.paths import (
    MOST_DEPENDENTS,
    find_neighbourhood,
    study_concept,
    taught_before,
    teaching_order,
)
from vta.errors import NotFound
from vta.types.concepts import Concept, ConceptEdge, ConceptStudy, Neighbourhood, Place
from vta.types.courses import ConceptId, CourseId
from vta.types.pairs import Locator

Edge = tuple[str, str] | tuple[str, str, float]


def build(*edges: Edge) -> NetworkxConceptGraph:
    names = dict.fromkeys(end for before, after, *_ in edges for end in (before, after))
    return NetworkxConceptGraph(
        [Concept(id=ConceptId(name), name=name) for name in names],
        [
            ConceptEdge(
                prerequisite=ConceptId(before),
                concept=ConceptId(after),
                score=score[0] if score else 1.0,
                evidence=(f"{before} then {after}",),
            )
            for before, after, *score in edges
        ],
    )


def study(graph: NetworkxConceptGraph, name: str, *documents: str, **limits: int) -> ConceptStudy:
    """The study of a concept where `documents` are `name=path`."""
    taught = dict(document.split("=") for document in documents)

    def find_place(concept: Concept) -> Place | None:
        path = taught.get(concept.name)
        return Place(document=path, locator=Locator()) if path else None

    return study_concept(graph, graph.concept(ConceptId(name)), find_place=find_place, **limits)


def near(graph: NetworkxConceptGraph, name: str, depth: int = 1) -> Neighbourhood:
    return find_neighbourhood(graph, graph.concept(ConceptId(name)), depth=depth)


def steps(found: ConceptStudy) -> list[tuple[str, int]]:
    return [(step.concept.name, step.distance) for step in found.path]


def test_a_path_holds_all_that_comes_before_with_its_distance() -> None:
    """Every transitive prerequisite once, after its own ones; what comes later is not on it."""
    graph = build(("b", "d"), ("a", "d"), ("z", "a"), ("d", "e"), ("e", "later"))
    assert steps(study(graph, "e")) == [("b", 2), ("z", 3), ("a", 2), ("d", 1)]
    assert study(graph, "z").path == ()


def test_what_is_taught_first_stands_first_where_the_order_is_open() -> None:
    """Ties go by the place, not by the name; what is taught nowhere comes last."""
    graph = build(("a", "goal"), ("b", "goal"), ("c", "goal"), ("d", "goal"))
    found = study(graph, "goal", "a=notes/10.md", "b=video/02.srt", "c=notes/9.md")
    assert [name for name, _ in steps(found)] == ["b", "c", "a", "d"]
    assert [step.place and step.place.document for step in found.path] == [
        "video/02.srt",
        "notes/9.md",
        "notes/10.md",
        None,
    ]


def test_what_must_come_first_does_so_wherever_it_is_taught() -> None:
    """The graph is stronger than the course's own order, also over a chain that is not on the path."""
    graph = build(("a", "x"), ("x", "b"), ("b", "goal"), ("a", "goal"), ("c", "goal"))
    found = study(graph, "goal", "b=01.md", "c=02.md", "a=03.md", farthest=1)
    assert [name for name, _ in steps(found)] == ["c", "a", "b"]
    assert found.path_left_out == 1


def test_a_path_keeps_its_limits_and_counts_what_it_leaves_out() -> None:
    """The nearest stay, equally near ones by the surest edge, then by name."""
    graph = build(
        ("far", "a"), ("a", "goal", 0.94), ("b", "goal", 0.99), ("c", "goal", 0.94), ("d", "goal", 0.96)
    )
    assert [name for name, _ in steps(study(graph, "goal", most=3))] == ["a", "b", "d"]
    assert study(graph, "goal", most=3).path_left_out == 2
    nearest = study(graph, "goal", farthest=1)
    assert ("far", 2) not in steps(nearest)
    assert nearest.path_left_out == 1


def test_a_path_goes_by_sure_edges_alone() -> None:
    """An unsure prerequisite is told with its score, but is no step, nor is what leads to it."""
    graph = build(("far", "doubtful"), ("doubtful", "goal", 0.85), ("sure", "goal", 0.95))
    found = study(graph, "goal")
    assert [name for name, _ in steps(found)] == ["sure"]
    assert [each.concept.name for each in found.prerequisites] == ["sure", "doubtful"]


def test_direct_prerequisites_and_dependents_carry_their_evidence() -> None:
    """Surest first, with the edge that says so; an edge that follows from others is told as well."""
    graph = build(("a", "b"), ("b", "it", 0.4), ("a", "it", 0.8), ("it", "x", 0.1), ("it", "y", 0.3))
    found = study(graph, "it")
    assert [(r.concept.name, r.edge.score, r.edge.evidence) for r in found.prerequisites] == [
        ("a", 0.8, ("a then it",)),
        ("b", 0.4, ("b then it",)),
    ]
    assert [(r.concept.name, r.edge.evidence) for r in found.dependents] == [
        ("y", ("it then y",)),
        ("x", ("it then x",)),
    ]


def test_many_dependents_are_cut_and_counted() -> None:
    """A concept on which everything builds does not tell everything."""
    found = study(build(*[("it", f"then {n:02d}") for n in range(MOST_DEPENDENTS + 5)]), "it")
    assert (len(found.dependents), found.dependents_left_out) == (MOST_DEPENDENTS, 5)


def test_a_concept_without_neighbours_has_an_empty_study() -> None:
    """Nothing before and nothing after is no error."""
    graph = NetworkxConceptGraph([Concept(id=ConceptId("alone"), name="alone")], [])
    found = study(graph, "alone", "alone=a.md")
    assert (found.path, found.prerequisites, found.dependents) == ((), (), ())
    assert found.place == Place(document="a.md", locator=Locator())
    assert near(graph, "alone").order == ()


def placed(name: str, document: str, second: float | None = None, score: float = 1.0) -> Concept:
    return Concept(
        id=ConceptId(name),
        name=name,
        definition=f"{name} is explained.",
        courses=(CourseId("c"),),
        document=document,
        locator=Locator(start_s=second),
        score=score,
    )


def test_without_a_sure_prerequisite_the_order_of_teaching_stands_in_its_stead() -> None:
    """The last explained concepts before it, of one place the surest; with a path there is none."""
    goal = placed("goal", "03-c.srt", 60.0)
    other = replace(placed("other course", "02-z.md"), courses=(CourseId("d"),))
    bare = replace(placed("bare", "03-c.srt", 30.0), definition="")
    before = [placed("b", "02-b.md", score=0.7), placed("weak", "02-b.md", score=0.6)]
    near = [placed("c", "03-c.srt", 10.0), placed("d", "03-c.srt", 20.0), placed("later", "03-c.srt", 90.0)]
    apart = placed("apart", "other/02-b.md")
    graph = NetworkxConceptGraph([goal, other, bare, *before, *near, apart], [])
    assert [each.concept.name for each in study(graph, "goal").taught_before] == ["b", "c", "d"]
    edge = ConceptEdge(prerequisite=ConceptId("d"), concept=goal.id)
    assert study(NetworkxConceptGraph([goal, *near], [edge]), "goal").taught_before == ()


def test_files_without_numbers_stand_in_no_order() -> None:
    """What another unnumbered file teaches is not before; what the same lecture teaches earlier is."""
    goal, same, other = placed("b", "b.srt", 60.0), placed("same", "b.srt", 5.0), placed("other", "a.srt")
    assert taught_before(goal, [goal, same, other]) == (same,)
    assert taught_before(replace(goal, document=None), [same, other]) == ()


def test_an_unknown_concept_is_not_found() -> None:
    """A concept that is not in the graph has no path, and says so."""
    with pytest.raises(NotFound):
        study_concept(build(("a", "b")), Concept(id=ConceptId("c"), name="c"), find_place=lambda _: None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("notes/02-b.md", Locator()), ("notes/10-a.md", Locator())),
        (("notes/07-tree.md", Locator()), ("subtitles/07-tree.srt", Locator(start_s=3.0))),
        (("subtitles/07-tree.srt", Locator(start_s=3.0)), ("notes/08.md", Locator())),
        (("v.srt", Locator(start_s=0.0)), ("v.srt", Locator(start_s=9.5))),
        (("book.pdf", Locator(page=9)), ("book.pdf", Locator(page=10))),
        (("week1/02.md", Locator()), ("week2/01.md", Locator())),
        (("intro.md", Locator()), ("week1/01.md", Locator())),
    ],
)
def test_places_are_in_the_order_of_the_lectures(
    first: tuple[str, Locator], second: tuple[str, Locator]
) -> None:
    """By the numbers of the path, then the path, then page or second; no place is last of all."""
    concept = Concept(id=ConceptId("c"), name="c")
    keys = [teaching_order(concept, Place(document=path, locator=at)) for path, at in (first, second)]
    assert keys[0] < keys[1] < teaching_order(concept, None)


def test_a_neighbourhood_leaves_out_what_follows_from_the_rest() -> None:
    """a -> b -> it makes a -> it superfluous, on both sides."""
    graph = build(("a", "b"), ("b", "it"), ("a", "it"), ("it", "x"), ("x", "y"), ("it", "y"))
    found = near(graph, "it")
    assert [[c.name for c in column] for column in found.before] == [["b"]]
    assert [c.name for c in found.after] == ["x"]
    assert found.order == (("b", "it"), ("it", "x"))
    deeper = near(graph, "it", depth=2)
    assert [[c.name for c in column] for column in deeper.before] == [["b"], ["a"]]
    assert deeper.order == (("a", "b"), ("b", "it"), ("it", "x"))


def test_a_neighbourhood_is_small() -> None:
    """At most four a column: the surest, and of what comes before them only what leads to these."""
    edges: list[Edge] = [(f"p{n}", "it", 0.99 + 0.001 * n) for n in range(1, 8)]
    edges += [(f"pp{n}", f"p{n}") for n in range(1, 8)]
    edges += [("it", f"s{n}") for n in range(1, 8)]
    found = near(build(*edges), "it", depth=2)
    assert [c.name for c in found.before[0]] == ["p7", "p6", "p5", "p4"]
    assert {c.name for c in found.before[1]} == {"pp7", "pp6", "pp5", "pp4"}
    assert [c.name for c in found.after] == ["s1", "s2", "s3", "s4"]


def test_a_neighbourhood_holds_only_what_is_sure() -> None:
    """Neither an unsure edge nor what is reached by one is told; what a sure chain reaches is."""
    graph = build(("a", "b", 0.5), ("b", "c"), ("a", "x"), ("x", "c"), ("c", "d", 0.5), ("e", "a", 0.5))
    found = near(graph, "c", 2)
    assert [[each.name for each in column] for column in found.before] == [["b", "x"], ["a"]]
    assert found.after == ()
    assert ("a", "b") not in found.order
