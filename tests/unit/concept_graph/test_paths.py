"""What comes before a concept and what builds on it: which concepts are told, and in which order."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from concept_graph.graph import NetworkxConceptGraph
from concept_graph.paths import (
    MOST_DEPENDENTS,
    Unit,
    find_neighbourhood,
    find_units,
    study_concept,
    taught_before,
    teaching_order,
)
from concept_graph.picture import MOST_DRAWN, draw_unit
from vta.errors import NotFound
from vta.languages import Language
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


def near(
    graph: NetworkxConceptGraph, name: str, depth: int = 1, *, with_unsure: bool = False
) -> Neighbourhood:
    return find_neighbourhood(graph, graph.concept(ConceptId(name)), depth=depth, with_unsure=with_unsure)


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
    edges: list[Edge] = [(f"p{n}", "it", 0.1 * n) for n in range(1, 8)]
    edges += [(f"pp{n}", f"p{n}") for n in range(1, 8)]
    edges += [("it", f"s{n}") for n in range(1, 8)]
    found = near(build(*edges), "it", depth=2, with_unsure=True)
    assert [c.name for c in found.before[0]] == ["p7", "p6", "p5", "p4"]
    assert {c.name for c in found.before[1]} == {"pp7", "pp6", "pp5", "pp4"}
    assert [c.name for c in found.after] == ["s1", "s2", "s3", "s4"]


def test_a_neighbourhood_holds_only_what_is_sure_unless_the_rest_is_asked_for() -> None:
    """Asked for, an unsure edge is told as such; a sure chain beside it makes the order sure."""
    graph = build(("a", "b", 0.5), ("b", "c"), ("a", "x"), ("x", "c"), ("c", "d", 0.5))
    sure = near(graph, "c")
    assert [each.name for each in sure.before[0]] == ["b", "x"]
    assert (sure.after, sure.unsure) == ((), frozenset())
    every = near(graph, "c", 2, with_unsure=True)
    assert {("a", "b"), ("a", "x"), ("b", "c"), ("x", "c"), ("c", "d")} == set(every.order)
    assert set(every.unsure) == {("a", "b"), ("c", "d")}


SVG = "{http://www.w3.org/2000/svg}"


def concept(name: str, document: str | None = None, *headings: str) -> Concept:
    return Concept(id=ConceptId(name), name=name, document=document, locator=Locator(heading_path=headings))


def edge(before: str, after: str, score: float = 1.0) -> ConceptEdge:
    return ConceptEdge(prerequisite=ConceptId(before), concept=ConceptId(after), score=score)


def names(units: tuple[Unit, ...]) -> list[tuple[str, list[str]]]:
    return [(unit.name, [each.name for each in unit.concepts]) for unit in units]


def test_a_unit_is_a_document_in_the_order_of_teaching() -> None:
    """Notes and video of one lecture are one; it is called by its first heading or else its file."""
    found = find_units(
        [
            concept("nowhere"),
            concept("b", "10.md", "Ten"),
            concept("a", "9.srt"),
            concept("c", "notes/10-x.md", "Ten", "More"),
            concept("d", "video/10-x.srt"),
        ]
    )
    assert names(found) == [("9", ["a"]), ("Ten", ["b"]), ("Ten", ["c", "d"]), ("", ["nowhere"])]


def test_a_single_document_is_parted_by_its_headings() -> None:
    """By the highest that parts it: the chapters below the title of a book."""
    found = find_units(
        [
            concept("a", "book.md", "Book", "One", "x"),
            concept("b", "book.md", "Book", "Two"),
            concept("c", "book.md", "Book", "One", "y"),
        ]
    )
    assert names(found) == [("One", ["a", "c"]), ("Two", ["b"])]
    assert find_units([]) == ()
    assert len(find_units([concept("a", "book.md", "Book")])) == 1


def test_a_picture_shows_what_leads_to_the_concepts_of_the_unit() -> None:
    """What comes first is on the left, the unsure edge dashed, a concept of another unit lighter."""
    unit = Unit(name="<b>", concepts=tuple(map(concept, "abc")))
    known = {each: concept(each) for each in map(ConceptId, "abcxy")}
    edges = [edge("a", "b"), edge("b", "c", 0.5), edge("x", "a"), edge("c", "y")]
    drawn = draw_unit(unit, edges, known, Language.EN)
    assert drawn is not None
    picture = ET.fromstring(drawn)
    boxes = {box.findtext(f"{SVG}title"): box.attrib for box in picture.findall(f"{SVG}svg")}
    assert sorted(boxes, key=lambda name: int(boxes[name]["x"])) == ["x", "a", "b", "c"]
    assert {name: each["class"] for name, each in boxes.items()}["x"] == "neighbour"
    lines = picture.findall(f"{SVG}g/{SVG}path")
    assert sorted("stroke-dasharray" in line.attrib for line in lines) == [False, False, True]
    assert draw_unit(unit, [edge("c", "y")], known, Language.EN) is None


def test_a_picture_holds_no_more_than_can_be_seen() -> None:
    """Of many concepts, those with the most edges."""
    concepts = tuple(concept(f"c{n:03}") for n in range(100))
    known = {each.id: each for each in concepts}
    unit, edges = Unit(name="u", concepts=concepts), [edge("c000", f"c{n:03}") for n in range(1, 100)]
    drawn = draw_unit(unit, edges, known, Language.ZH)
    assert drawn is not None
    assert len(ET.fromstring(drawn).findall(f"{SVG}svg")) == MOST_DRAWN
