"""What is made course by course is what is made of all courses at once."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from concept_graph.by_course import GraphsByCourse, LinkersByCourse
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.headings import ConceptSet
from concept_graph.mentions import DictionaryLinker
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course, CourseId

PIECES = ("stack", "queue", "heap sort", "heap", "数组", "参数", "树", "二叉树", "。", " ", "s")
IDS = tuple(map(CourseId, "012"))

courses = st.tuples(
    *(
        st.builds(
            Course,
            id=st.just(id),
            name=st.just(id),
            domains=st.sampled_from((("d",), ("e",), ("d", "e"))),
            language=st.just(Language.EN),
            shares_concepts=st.booleans(),
            takes_concepts=st.booleans(),
            is_platform_graph=st.booleans(),
        )
        for id in IDS
    )
)
names = st.lists(st.sampled_from(PIECES[:8]), min_size=1, max_size=2).map("".join)
concepts = st.lists(
    st.tuples(st.sampled_from(IDS), names, st.sampled_from(("d", "e"))),
    max_size=12,
    unique_by=lambda r: r[:2],
).map(
    lambda rows: [
        Concept(id=ConceptId(f"{course}:{name}"), name=name, courses=(course,), domains=(domain,))
        for course, name, domain in rows
    ]
)
texts = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)


def by_course(known: list[Concept], edges: list[ConceptEdge]) -> GraphsByCourse:
    def read(course_id: CourseId) -> ConceptSet:
        return (
            tuple(each for each in known if course_id in each.courses),
            tuple(each for each in edges if each.concept.startswith(f"{course_id}:")),
        )

    return GraphsByCourse(read, dict.fromkeys(IDS, 0))


@given(courses, concepts, texts)
def test_each_course_finds_what_one_dictionary_of_all_finds(
    given_courses: tuple[Course, ...], known: list[Concept], text: str
) -> None:
    """Whoever lends to whom, the names that a course sees are found, and no others."""
    of_all = DictionaryLinker(known, courses=given_courses)
    linkers = LinkersByCourse(by_course(known, []), courses=given_courses)
    for course in given_courses:
        assert linkers.link(text, course=course) == of_all.link(text, course=course)


@given(concepts, st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.sampled_from((0.2, 0.9)))))
def test_graphs_of_courses_say_what_the_graph_of_all_says(
    known: list[Concept], ends: list[tuple[int, int, float]]
) -> None:
    """Concepts, edges, prerequisites and chains; cycles are broken in the same places."""
    edges = [
        ConceptEdge(prerequisite=known[a].id, concept=known[b].id, score=score)
        for a, b, score in ends
        if a < len(known) and b < len(known) and a != b and known[a].courses == known[b].courses
    ]
    of_all, graphs = NetworkxConceptGraph(known, edges), by_course(known, edges)
    for course_id in IDS:
        assert graphs.concepts(course_id) == of_all.concepts(course_id)
        assert graphs.edges(course_id) == of_all.edges(course_id)
    for each, onward in product(known, (False, True)):
        assert graphs.concept(each.id) == each
        assert graphs.prerequisites(each.id, least=0.5) == of_all.prerequisites(each.id, least=0.5)
        assert graphs.chains(each.id, onward=onward) == of_all.chains(each.id, onward=onward)
