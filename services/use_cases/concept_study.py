"""A concept of a course by its name, and all that is told of it: the JSON of command line and API."""

from __future__ import annotations

from pydantic import JsonValue

from concept_graph.paths import study_concept
from services.rendering.answer_json import locator_to_json
from services.rendering.markdown import render_markdown
from vta.dialogue.concepts import find_place
from vta.errors import NotFound
from vta.faults import Fault
from vta.places import describe_place
from vta.ports import Knowledge
from vta.text import normalise
from vta.types import Concept, ConceptStudy, Course, Language, Place, RelatedConcept


def find_concept(name: str, *, course: Course, knowledge: Knowledge) -> Concept:
    """The concept that the course knows under a name or alias, itself or through a course with its domain.

    `NotFound` where the text is more, or less, than one such name.
    """
    text = normalise(name)
    for mention in knowledge.linker.link(name, course=course):
        if (mention.start, mention.end) == (0, len(text)):
            return mention.concept
    raise NotFound(Fault("graph.no_concept_of_course", course=course.id, name=name), field="concept")


def study(name: str, *, course: Course, knowledge: Knowledge) -> ConceptStudy:
    """What comes before and after the concept of that name; `NotFound` as for `find_concept`."""
    concept = find_concept(name, course=course, knowledge=knowledge)
    return study_concept(
        knowledge.graph, concept, find_place=lambda each: find_place(each, knowledge.ranker, course)
    )


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
