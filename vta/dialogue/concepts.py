"""The concepts of a question: what Chain of Teach reasons over and what the student is shown."""

from __future__ import annotations

from collections.abc import Sequence

from vta.ports import ConceptGraph, Ranker
from vta.types import Concept, ConceptCard, Course, Locator, Mention, Prerequisite, TeachStep


def teach_steps(mentions: Sequence[Mention], graph: ConceptGraph) -> tuple[TeachStep, ...]:
    """For each concept k_i of the question: k_i and its prerequisites (Algorithm 1, lines 2 to 6)."""
    return tuple(
        TeachStep(concept=m.concept, prerequisites=graph.prerequisites(m.concept.id)) for m in mentions
    )


def concept_cards(steps: Sequence[TeachStep], ranker: Ranker, course: Course) -> tuple[ConceptCard, ...]:
    """The same as cards, with the place where each prerequisite is taught."""
    return tuple(
        ConceptCard(
            name=step.concept.name,
            definition=step.concept.definition,
            domains=step.concept.domains,
            prerequisites=tuple(
                Prerequisite(name=p.name, definition=p.definition, where=taught_at(p, ranker, course))
                for p in step.prerequisites
            ),
        )
        for step in steps
    )


def taught_at(concept: Concept, ranker: Ranker, course: Course) -> str | None:
    """Where a concept is taught: the document with its heading path, page or second."""
    document, locator = concept.document, concept.locator
    if document is None:
        best = ranker.where_taught(concept, course=course)
        if best is None:
            return None
        document, locator = best.pair.document, best.pair.locator
    place = place_name(locator)
    return " · ".join(part for part in (document, place) if part) or None


def place_name(locator: Locator) -> str:
    """A locator in words: `Stack > Operations`, `p. 3` or `02:10`."""
    if locator.start_s is not None:
        minutes, seconds = divmod(int(locator.start_s), 60)
        return f"{minutes:02d}:{seconds:02d}"
    if locator.page is not None:
        return f"p. {locator.page}"
    return " > ".join(locator.heading_path)
