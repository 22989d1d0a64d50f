"""The concepts of a question: what Chain of Teach reasons over and what the student is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vta.dialogue.degradations import SEARCH_FAILURES, search_failed
from vta.ports import ConceptGraph, Ranker
from vta.types import (
    Concept,
    ConceptCard,
    Course,
    Degradation,
    Language,
    Locator,
    Mention,
    Place,
    Prerequisite,
    TeachStep,
)


def teach_steps(mentions: Sequence[Mention], graph: ConceptGraph) -> tuple[TeachStep, ...]:
    """For each concept k_i of the question: k_i and its prerequisites (Algorithm 1, lines 2 to 6)."""
    return tuple(
        TeachStep(concept=m.concept, prerequisites=graph.prerequisites(m.concept.id)) for m in mentions
    )


def concept_cards(
    steps: Sequence[TeachStep], ranker: Ranker, course: Course, language: Language
) -> tuple[tuple[ConceptCard, ...], Degradation | None]:
    """The same as cards, with the place where each prerequisite is taught, in words of a language.

    Where search fails, the cards come without the places that only it knows, and why is the second value.
    """
    places = _Places(ranker, course, language)
    cards = tuple(
        ConceptCard(
            name=step.concept.name,
            definition=step.concept.definition,
            domains=step.concept.domains,
            prerequisites=tuple(
                Prerequisite(name=p.name, definition=p.definition, where=places.of(p))
                for p in step.prerequisites
            ),
        )
        for step in steps
    )
    return cards, places.degraded


class _Places:
    """Where concepts are taught; a search that failed once is not asked again."""

    def __init__(self, ranker: Ranker, course: Course, language: Language) -> None:
        self._ranker, self._course, self._language = ranker, course, language
        self.degraded: Degradation | None = None

    def of(self, concept: Concept) -> str | None:
        if self.degraded is None:
            try:
                return taught_at(concept, self._ranker, self._course, self._language)
            except SEARCH_FAILURES as failure:
                self.degraded = search_failed(failure)
        own = _own_place(concept, self._course)
        return None if own is None else describe_place(own, self._language)


def taught_at(concept: Concept, ranker: Ranker, course: Course, language: Language) -> str | None:
    """Where a concept is taught in words: the document with its heading path, page or second."""
    place = _own_place(concept, course) or _best_passage(concept, ranker, course)
    return None if place is None else describe_place(place, language)


def find_place(concept: Concept, ranker: Ranker, course: Course) -> Place | None:
    """The place that `taught_at` names, with the passage that stands there where it is found."""
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
    return Place(document=best.pair.document, locator=pair.locator, passage=pair.answer, url=pair.url)


def _lies_in(place: Place, passage: Place) -> bool:
    at, over = place.locator, passage.locator
    if place.document != passage.document:
        return False
    if at.start_s is not None and over.start_s is not None:
        return over.start_s <= at.start_s <= (over.end_s or over.start_s)
    return (at.heading_path, at.page) == (over.heading_path, over.page)


def describe_place(place: Place, language: Language) -> str:
    """A place in words: the document, and where in it."""
    return " · ".join(part for part in (place.document, place_name(place.locator, language)) if part)


def place_name(locator: Locator, language: Language) -> str:
    """A locator in words: `Stack > Operations`, `p. 3` or `第 3 页`, `02:10` or `2:05:10`."""
    if locator.start_s is not None:
        minutes, seconds = divmod(int(locator.start_s), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"
    if locator.page is not None:
        return f"第 {locator.page} 页" if language is Language.ZH else f"p. {locator.page}"
    return " > ".join(locator.heading_path)
