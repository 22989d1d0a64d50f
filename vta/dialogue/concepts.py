"""The concepts of a question: what Chain of Teach reasons over and what the student is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vta.dialogue.degradations import SEARCH_FAILURES, search_failed
from vta.places import describe_place
from vta.ports import ConceptGraph, Ranker
from vta.text import normalise
from vta.types.concepts import SURE, Concept, ConceptCard, Mention, Place, Prerequisite
from vta.types.courses import Course
from vta.types.language_model import TeachStep
from vta.types.pairs import Degradation


def teach_steps(mentions: Sequence[Mention], graph: ConceptGraph) -> tuple[TeachStep, ...]:
    """For each concept k_i of the question: k_i and its prerequisites (Algorithm 1, lines 2 to 6).

    Only what is `SURE`: a doubtful block under an answer is worse than none.
    """
    found = ((m.concept, graph.prerequisites(m.concept.id, least=SURE)) for m in mentions)
    return tuple(TeachStep(concept=concept, prerequisites=before) for concept, before in found)


def concept_cards(
    steps: Sequence[TeachStep], ranker: Ranker, course: Course
) -> tuple[tuple[ConceptCard, ...], Degradation | None]:
    """The steps as cards with the place of each prerequisite, and the failure of the search, if any.

    A search that failed is not asked again; the cards then lack the places that only it knows.
    """
    degraded: Degradation | None = None

    def find(concept: Concept) -> Place | None:
        nonlocal degraded
        place = _own_place(concept, course)
        if place is None and degraded is None:
            try:
                place = _best_passage(concept, ranker, course)
            except SEARCH_FAILURES as failure:
                degraded = search_failed(failure)
        return place

    cards = tuple(
        ConceptCard(
            name=step.concept.name,
            definition=step.concept.definition,
            domains=step.concept.domains,
            prerequisites=tuple(_prerequisite(each, find(each), course) for each in step.prerequisites),
        )
        for step in steps
    )
    return cards, degraded


def _prerequisite(concept: Concept, place: Place | None, course: Course) -> Prerequisite:
    known = Prerequisite(name=concept.name, definition=concept.definition)
    if place is None:
        return known
    where = describe_place(place, course.language)
    return replace(known, where=where, document=place.document, locator=place.locator)


def is_named(mention: Mention, text: str) -> bool:
    """Whether a normalised text names the concept of a mention, as it was written or otherwise."""
    names = (mention.surface, mention.concept.name, *mention.concept.aliases)
    return any(normalise(name) in text for name in names)


def find_place(concept: Concept, ranker: Ranker, course: Course) -> Place | None:
    """Where a concept is taught, with the passage that stands there where it is found."""
    own, best = _own_place(concept, course), _best_passage(concept, ranker, course)
    if own is None or best is None:
        return own or best
    return replace(best, locator=own.locator) if _lies_in(own, best) else own


def _own_place(concept: Concept, course: Course) -> Place | None:
    """The concept's own place, unless that is in the documents of another course."""
    if concept.document is None or course.id not in concept.courses:
        return None
    return Place(document=concept.document, locator=concept.locator)


def _best_passage(concept: Concept, ranker: Ranker, course: Course) -> Place | None:
    best = ranker.where_taught(concept, course=course)
    if best is None or best.pair.document is None:
        return None
    pair = best.pair
    title = "" if pair.locator.heading_path else pair.question
    return Place(
        document=best.pair.document, locator=pair.locator, passage=pair.answer, url=pair.url, title=title
    )


def _lies_in(place: Place, passage: Place) -> bool:
    at, over = place.locator, passage.locator
    if place.document != passage.document:
        return False
    if at.start_s is not None and over.start_s is not None:
        return over.start_s <= at.start_s <= (over.end_s or over.start_s)
    return (at.heading_path, at.page) == (over.heading_path, over.page)
