"""Edits, builds, imports and studies of the concept graph of a course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from concept_graph.by_course import unite
from concept_graph.edit_rules import check_edit
from concept_graph.edited_course import apply_edits
from concept_graph.headings import ConceptSet
from concept_graph.model_graph import Section, cut_sections
from concept_graph.names import concept_id
from concept_graph.paths import study_concept
from concept_graph.prerequisites import score_pairs
from concept_graph.prerequisites.signals import NameEncoder
from services.graph.files import SEEDS, ImportedGraph, build_graph, graph_document, import_graph
from services.graph.review import PlaceCounts, ReviewedConcept, count_places, review_concepts
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.rendering.answer_json import locator_to_json
from services.rendering.markdown import render_markdown
from services.stores import Stores
from vta.dialogue.concepts import find_place
from vta.errors import Conflict, NotFound
from vta.faults import Fault
from vta.languages import Language
from vta.places import describe_place
from vta.ports import ConceptGraph, Knowledge
from vta.text import normalise
from vta.types.concepts import Concept, ConceptStudy, GraphEdit, Place, RecordedEdit, RelatedConcept
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair, Source


def find_concept(name: str, *, course: Course, knowledge: Knowledge) -> Concept:
    """The concept of a name or alias, of the course itself or lent to it.

    `NotFound` where the text is not exactly one such name.
    """
    text = normalise(name)
    for mention in knowledge.linker.link(name, course=course):
        if (mention.start, mention.end) == (0, len(text)):
            return mention.concept
    raise NotFound(Fault("graph.no_concept_of_course", course=course.id, name=name), field="concept")


def study_to_json(study: ConceptStudy, language: Language) -> dict[str, JsonValue]:
    """The JSON object of a study: `where` is a place in words, `taught` the place to open."""
    return {
        **_concept(study.concept, study.place, language),
        "aliases": list(study.concept.aliases),
        "domains": list(study.concept.domains),
        "prerequisites": [_related(each, language) for each in study.prerequisites],
        "path": [
            {**_concept(each.concept, each.place, language), "distance": each.distance} for each in study.path
        ],
        "path_left_out": study.path_left_out,
        "dependents": [_related(each, language) for each in study.dependents],
        "dependents_left_out": study.dependents_left_out,
        "taught_before": [_concept(each.concept, each.place, language) for each in study.taught_before],
    }


def _related(related: RelatedConcept, language: Language) -> dict[str, JsonValue]:
    return {
        **_concept(related.concept, related.place, language),
        "score": related.edge.score,
        "curated": related.edge.curated,
        "evidence": list(related.edge.evidence),
    }


def _concept(concept: Concept, place: Place | None, language: Language) -> dict[str, JsonValue]:
    return {
        "name": concept.name,
        "definition": concept.definition,
        "where": describe_place(place, language) if place else None,
        "taught": _place(place) if place else None,
    }


def _place(place: Place) -> dict[str, JsonValue]:
    return {
        "document": place.document,
        "locator": locator_to_json(place.locator),
        "passage": place.passage,
        "passage_html": render_markdown(place.passage),
        "url": place.url,
    }


_PATIENCE_S = 10.0
"""A page shows edits as they were before where an index takes longer, as that of a large platform does."""
_MOST_COUNTED = 256
"""Courses whose counts of places are in memory, some 100 kB each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingEdit:
    """An edit that was not undone; `effect` is False for one that changes nothing in what is known now."""

    recorded: RecordedEdit
    effect: bool


class CourseGraphs:
    """The concept graphs of all courses of one platform."""

    def __init__(self, stores: Stores, knowledge: StoredKnowledge, encoder: NameEncoder) -> None:
        self._courses, self._documents, self._edits = stores.courses, stores.documents, stores.edits
        self._knowledge = knowledge
        self._encoder = encoder
        self._places: dict[CourseId, PlaceCounts] = {}

    def graph(self, course: Course | None = None) -> ConceptGraph:
        """The graph of the platform, as far as a `course` sees it as it is now."""
        return self._knowledge.current(course).graph

    def record(self, course_id: CourseId, edit: GraphEdit, *, waits: bool = True) -> RecordedEdit:
        """Record an edit of a course's graph as it is now; raises as `check_edit` does.

        Unless it `waits` until the edit is found, it returns once it is stored; `catch_up` before a look.
        """
        course = self._courses.course(course_id)
        checked = check_edit(edit, course=course, graph=self.graph(course))
        recorded = self._edits.record(course_id, checked)
        self._follow(waits=waits)
        return recorded

    def undo(
        self, course_id: CourseId, *, number: int | None = None, waits: bool = True
    ) -> tuple[RecordedEdit, ...]:
        """Undo the last recorded edits; `NotFound` for none, `Conflict` if the last is not `number`.

        `waits` as for `record`.
        """
        last = next(reversed(self._edits.edits(course_id)), None)
        if number is not None and (last is None or last.number != number):
            raise Conflict(Fault("graph.edited_since", course=course_id, number=number))
        undone = self._edits.undo(course_id)
        self._follow(waits=waits)
        return undone

    def _follow(self, *, waits: bool) -> None:
        if waits:
            sync_index(self._knowledge)
        else:
            self._knowledge.begin_sync()

    def catch_up(self) -> None:
        """Wait until the graph holds every edit that is stored, or for `_PATIENCE_S`."""
        self._knowledge.begin_sync(patience_s=_PATIENCE_S)

    def review_concepts(
        self, course_id: CourseId, *, asked: Mapping[str, int], search: str = ""
    ) -> list[ReviewedConcept]:
        """The concepts of a course that a search finds, the most used first; see `review_concepts`."""
        course = self._courses.course(course_id)
        concepts = self.concepts(course_id)
        names = {each.id: each.aliases for each in concepts[0]}
        files = self._documents.summaries(course_id)
        known = self._places.get(course_id)
        if known is None or not known.hold(files, names):
            linker = self._knowledge.current(course).linker
            counts = count_places(self.passages(course_id), course=course, linker=linker)
            if len(self._places) >= _MOST_COUNTED:
                self._places.clear()
            known = self._places[course_id] = PlaceCounts(files=files, names=names, counts=counts)
        return review_concepts(concepts, places=known.counts, asked=asked, search=search)

    def edits(self, course_id: CourseId) -> tuple[StandingEdit, ...]:
        """The edits of a course that stand, oldest first."""
        recorded = self._edits.edits(course_id)
        _, idle = apply_edits(unite(self._documents.concepts(course_id)), recorded)
        numbers = {each.number for each in idle}
        return tuple(StandingEdit(recorded=each, effect=each.number not in numbers) for each in recorded)

    def build(self, course_id: CourseId, *, seeds: Sequence[str] = ()) -> ConceptSet:
        """Find concepts and edges in a course's material, in place of the last build; see `build_graph`.

        The stored seeds are used beside those given, and what a language model said of sections.
        """
        course = self._courses.course(course_id)
        passages = self.passages(course_id)
        built = build_graph(
            course,
            passages,
            self._documents,
            seeds=(*seeds, *self.seeds(course_id)),
            sections=cut_sections(passages),
        )
        sync_index(self._knowledge)
        return built

    def sections(self, course_id: CourseId) -> tuple[Section, ...]:
        """The sections of a course's material, as a language model reads them."""
        return tuple(cut_sections(self.passages(course_id)))

    def seeds(self, course_id: CourseId) -> tuple[str, ...]:
        """The stored names that every build is given."""
        stored = self._documents.document(self._courses.course(course_id).id, SEEDS)
        return tuple(concept.name for concept in stored.concepts) if stored else ()

    def keep_seeds(self, course_id: CourseId, names: Sequence[str]) -> None:
        """Store the names that every later build is given, in place of the last ones.

        They are concepts of the course until a graph is built, which holds those that the material names.
        """
        course = self._courses.course(course_id)
        ids = {concept_id(course_id, name): name for name in names}
        concepts = tuple(
            Concept(id=id, name=name, domains=course.domains, courses=(course_id,))
            for id, name in ids.items()
        )
        put = [graph_document(SEEDS, concepts)] if concepts else []
        self._documents.apply(course_id, put=put, remove=() if put else [SEEDS])
        sync_index(self._knowledge)

    def score_pairs(self, course_id: CourseId, pairs: Sequence[tuple[str, str]]) -> tuple[float | None, ...]:
        """How likely a comes before b in a course's material, for each pair of names; see `score_pairs`."""
        return score_pairs(self.passages(course_id), pairs, encoder=self._encoder)

    def import_file(self, course_id: CourseId, path: Path, *, source: str | None = None) -> ImportedGraph:
        """Take in the graph of a file or folder, in place of the one imported before; see `import_graph`."""
        course = self._courses.course(course_id)
        imported = import_graph(path, course=course, documents=self._documents, source=source)
        sync_index(self._knowledge)
        return imported

    def concepts(self, course_id: CourseId) -> ConceptSet:
        """The concepts that a course knows, surest first and then by name, and the edges."""
        known = self.graph()
        surest_first = sorted(known.concepts(course_id), key=lambda concept: -concept.score)
        return tuple(surest_first), known.edges(course_id)

    def study(self, course_id: CourseId, name: str) -> ConceptStudy:
        """A concept with its path, prerequisites and dependents; `NotFound` as for `find_concept`."""
        course = self._courses.course(course_id)
        knowledge = self._knowledge.current(course)
        concept = find_concept(name, course=course, knowledge=knowledge)
        return study_concept(
            knowledge.graph, concept, find_place=lambda each: find_place(each, knowledge.ranker, course)
        )

    def passages(self, course_id: CourseId) -> list[QAPair]:
        """The passages of a course's material, in order; `NotFound` for no course."""
        pairs = self._documents.pairs(self._courses.course(course_id).id)
        return [pair for pair in pairs if pair.source is Source.MATERIAL]
