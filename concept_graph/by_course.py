"""Graph and linker of many courses, of which only those that were asked for lately are in memory.

What a course knows is read when it is first asked for. An edge has both its ends in one course, and the id of
a concept begins with its course (`concept_graph.names.concept_id`), so that no other course need be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain

from concept_graph.graph import NetworkxConceptGraph
from concept_graph.headings import ConceptSet
from concept_graph.mentions import DictionaryLinker
from vta.types import Concept, ConceptEdge, ConceptId, Course, CourseId, Mention

_MOST_COURSES = 256
"""Courses in memory, some 100 kB each."""

ReadCourse = Callable[[CourseId], ConceptSet]
"""The concepts and edges of a course, none where it is not known."""


class GraphsByCourse:
    """`vta.ports.ConceptGraph` of all courses. Safe to share between threads."""

    def __init__(self, read: ReadCourse, courses: Iterable[CourseId]) -> None:
        """`courses` are all there are. What `read` raises is raised by every method."""
        self._courses = tuple(courses)
        self._of = lru_cache(_MOST_COURSES)(lambda course_id: NetworkxConceptGraph(*read(course_id)))

    def of_courses(self, courses: Iterable[CourseId]) -> GraphsByCourse:
        """The same graphs where these are all courses."""
        graphs = copy(self)
        graphs._courses = tuple(courses)
        return graphs

    def concept(self, concept_id: ConceptId) -> Concept:
        """The concept, or `NotFound`."""
        return self._having(concept_id).concept(concept_id)

    def concepts(self, course_id: CourseId | None = None) -> tuple[Concept, ...]:
        """All concepts, or those of one course, by name."""
        if course_id is not None:
            return self._of(course_id).concepts(course_id)
        every = chain.from_iterable(self._of(each).concepts() for each in self._courses)
        return tuple(sorted(every, key=lambda concept: (concept.name, concept.id)))

    def prerequisites(self, concept_id: ConceptId, *, least: float = 0.0) -> tuple[Concept, ...]:
        """As `NetworkxConceptGraph.prerequisites`."""
        return self._having(concept_id).prerequisites(concept_id, least=least)

    def edges(self, course_id: CourseId | None = None) -> tuple[ConceptEdge, ...]:
        """All edges, or those with both ends in one course, by the ids of concept and prerequisite."""
        if course_id is not None:
            return self._of(course_id).edges(course_id)
        every = chain.from_iterable(self._of(each).edges() for each in self._courses)
        return tuple(sorted(every, key=lambda edge: (edge.concept, edge.prerequisite)))

    def chains(self, concept_id: ConceptId, *, onward: bool = False) -> tuple[ConceptEdge, ...]:
        """As `NetworkxConceptGraph.chains`."""
        return self._having(concept_id).chains(concept_id, onward=onward)

    def _having(self, concept_id: ConceptId) -> NetworkxConceptGraph:
        """That of the course which the id names."""
        return self._of(CourseId(concept_id.partition(":")[0]))


class LinkersByCourse:
    """`vta.ports.ConceptLinker` of all courses. Safe to share between threads.

    A course that nobody lends to has a dictionary of its own concepts. The others share one of all concepts
    that are lent; a course that takes concepts and lends none has one of these and its own.
    """

    def __init__(self, graphs: GraphsByCourse, *, courses: Sequence[Course]) -> None:
        """`courses` are all there are; some lend (`Course.lends_to`)."""
        self._graphs = graphs
        self._courses = courses
        self._sharing = frozenset(each.id for each in courses if each.shares_concepts)
        self._of_all = frozenset(each.id for each in courses if each.is_platform_graph)
        self._among = lru_cache(_MOST_COURSES)(self._make)

    def link(self, text: str, *, course: Course) -> tuple[Mention, ...]:
        """As `DictionaryLinker.link`."""
        lenders = self._of_all | (self._sharing if course.takes_concepts else frozenset())
        return self._among(lenders | {course.id}).link(text, course=course)

    def _make(self, course_ids: frozenset[CourseId]) -> DictionaryLinker:
        concepts = chain.from_iterable(map(self._graphs.concepts, sorted(course_ids)))
        return DictionaryLinker(concepts, courses=self._courses)
