"""The graph of the platform from its documents, and graph and linker of each course.

Only courses that were asked for lately are in memory. What a course knows is read when it is first asked for
at a revision, and outlives the changes of other courses.
An edge has both its ends in one course, and the id of a concept begins with its course
(`concept_graph.names.concept_id`), so that no other course need be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain

from concept_graph.graph import Edges, NetworkxConceptGraph, add_edge
from concept_graph.headings import ConceptSet, merge
from concept_graph.mentions import DictionaryLinker
from vta.course_cache import CourseCache
from vta.types.concepts import Concept, ConceptEdge, Mention
from vta.types.courses import ConceptId, Course, CourseId

_MOST_COURSES = 256
"""Courses in memory, some 100 kB each."""

ReadCourse = Callable[[CourseId], ConceptSet]
"""The concepts and edges of a course, none where it is not known."""


class GraphsByCourse:
    """`vta.ports.ConceptGraph` of all courses. Safe to share between threads."""

    def __init__(self, read: ReadCourse, revisions: Mapping[CourseId, int]) -> None:
        """`revisions` are those of all courses. What `read` raises is raised by every method."""
        self.revisions = revisions
        self._read = read
        self._kept = CourseCache[NetworkxConceptGraph](_MOST_COURSES)

    def at(self, revisions: Mapping[CourseId, int]) -> GraphsByCourse:
        """The graphs at other revisions of all courses, read anew where a course's own is another."""
        graphs = copy(self)
        graphs.revisions = revisions
        return graphs

    def concept(self, concept_id: ConceptId) -> Concept:
        """The concept, or `NotFound`."""
        return self._having(concept_id).concept(concept_id)

    def concepts(self, course_id: CourseId) -> tuple[Concept, ...]:
        """Those of a course, by name."""
        return self._of(course_id).concepts(course_id)

    def prerequisites(self, concept_id: ConceptId, *, least: float = 0.0) -> tuple[Concept, ...]:
        """As `NetworkxConceptGraph.prerequisites`."""
        return self._having(concept_id).prerequisites(concept_id, least=least)

    def edges(self, course_id: CourseId) -> tuple[ConceptEdge, ...]:
        """Those of a course, by the ids of concept and prerequisite."""
        return self._of(course_id).edges(course_id)

    def chains(self, concept_id: ConceptId, *, onward: bool = False) -> tuple[ConceptEdge, ...]:
        """As `NetworkxConceptGraph.chains`."""
        return self._having(concept_id).chains(concept_id, onward=onward)

    def _of(self, course_id: CourseId) -> NetworkxConceptGraph:
        revision = self.revisions.get(course_id)
        return self._kept.get(course_id, revision, lambda: NetworkxConceptGraph(*self._read(course_id)))

    def _having(self, concept_id: ConceptId) -> NetworkxConceptGraph:
        """That of the course which the id names."""
        return self._of(CourseId(concept_id.partition(":")[0]))


class LinkersByCourse:
    """`vta.ports.ConceptLinker` of all courses. Safe to share between threads.

    A course that nobody lends to has a dictionary of its own concepts. The others share one of all concepts
    that are lent; a course that takes concepts and lends none has one of these and its own.
    """

    def __init__(self, graphs: GraphsByCourse, *, courses: Sequence[Course]) -> None:
        """`courses` are all there are; some lend (`Course.shares_with`)."""
        self._kept = CourseCache[DictionaryLinker](_MOST_COURSES)
        self._set(graphs, courses)

    def at(self, graphs: GraphsByCourse, *, courses: Sequence[Course]) -> LinkersByCourse:
        """The linkers of other graphs and courses, made anew where one of their courses has changed."""
        linkers = copy(self)
        linkers._set(graphs, courses)
        return linkers

    def _set(self, graphs: GraphsByCourse, courses: Sequence[Course]) -> None:
        self._graphs = graphs
        self._of_all = tuple(each for each in courses if each.is_platform_graph)
        self._lending = tuple(each for each in courses if each.is_platform_graph or each.shares_concepts)

    def link(self, text: str, *, course: Course) -> tuple[Mention, ...]:
        """As `DictionaryLinker.link`."""
        lenders = self._lending if course.takes_concepts else self._of_all
        among = frozenset((course.id, *(each.id for each in lenders)))
        ids = sorted(among)

        def make() -> DictionaryLinker:
            return DictionaryLinker(chain.from_iterable(map(self._graphs.concepts, ids)), courses=lenders)

        version = tuple(map(self._graphs.revisions.get, ids)), lenders
        return self._kept.get(among, version, make).link(text, course=course)


def unite(documents: Iterable[ConceptSet]) -> ConceptSet:
    """The concepts and edges of all documents that hold together; each is kept once however often it comes.

    A concept seen in several documents of a course is one, with the first explanation found. Where a course
    has curated concepts they rule, else where it has built ones those do: its other ones only complete their
    explanations and places.
    """
    curated, built, weak = _Seen(), _Seen(), _Seen()
    for concepts, edges in documents:
        found = built if any(concept.built for concept in concepts) else weak
        for concept in concepts:
            (curated if concept.curated else found).add_concept(concept)
        for edge in edges:
            add_edge((curated if edge.curated else found).edges, edge)
    concepts, edges = merge(curated.all(), merge(built.all(), weak.all()))
    for tier in (curated, built):
        ruled = {course for concept in tier.concepts.values() for course in concept.courses}
        concepts = tuple(
            c for c in concepts if c.curated or c.id in tier.concepts or not ruled.intersection(c.courses)
        )
    kept = {concept.id for concept in concepts}
    return concepts, tuple(edge for edge in edges if {edge.prerequisite, edge.concept} <= kept)


class _Seen:
    """What came so far, each concept and edge once."""

    def __init__(self) -> None:
        self.concepts: dict[ConceptId, Concept] = {}
        self.edges: Edges = {}

    def add_concept(self, concept: Concept) -> None:
        """The first that has an explanation stays, else the first, with the aliases of all."""
        before = self.concepts.setdefault(concept.id, concept)
        if before is concept:
            return
        chosen = concept if concept.definition and not before.definition else before
        aliases = tuple(dict.fromkeys((*before.aliases, *concept.aliases)))
        self.concepts[concept.id] = chosen if chosen.aliases == aliases else replace(chosen, aliases=aliases)

    def all(self) -> ConceptSet:
        return tuple(self.concepts.values()), tuple(self.edges.values())
