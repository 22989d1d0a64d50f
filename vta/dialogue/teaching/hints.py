"""A hint without a language model: concepts, what they rest on, and where to read; never the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.render import Rendered, render
from vta.dialogue.teaching.entries import Entry, as_entry, as_line
from vta.kinds import Kind, kinds_of
from vta.types import Candidate, Concept, ConceptId, Language, Source, TeachStep

_MOST_PLACES = 3


@dataclass(frozen=True, slots=True)
class _Section:
    """A concept and its prerequisites, as a hint names them."""

    entry: Entry
    prerequisites: tuple[Entry, ...]


def compose_hint(
    question: str,
    steps: Sequence[TeachStep],
    candidates: Sequence[Candidate],
    language: Language,
    refusal: Rendered,
) -> str:
    """Markdown with no passage and no answer of the FAQ, only definitions and questions that lead on."""
    sections = _sections(steps, candidates)
    return str(
        render(
            f"chain_of_teach/hint.{language}.j2",
            sections=sections,
            names=[section.entry.name for section in sections],
            compared=len(sections) > 1 and Kind.DIFFERENCE in kinds_of(question),
            places=_places(candidates),
            order=[as_line(concept.name) for concept in study_order(steps)] if _is_chain(steps) else [],
            refusal=refusal,
        )
    )


def study_order(steps: Sequence[TeachStep]) -> tuple[Concept, ...]:
    """The concepts of the steps and their prerequisites, each after those of its prerequisites.

    A circle among them is entered at the concept that is named first.
    """
    by_id = {step.concept.id: step for step in steps}
    order: dict[ConceptId, Concept] = {}
    entered: set[ConceptId] = set()

    def visit(concept: Concept) -> None:
        if concept.id in entered:
            return
        entered.add(concept.id)
        for prerequisite in by_id[concept.id].prerequisites if concept.id in by_id else ():
            visit(prerequisite)
        order[concept.id] = concept

    for step in steps:
        visit(step.concept)
    return tuple(order.values())


def _is_chain(steps: Sequence[TeachStep]) -> bool:
    """Whether an order of study says anything: some concept of the question has a prerequisite."""
    return any(step.prerequisites for step in steps)


def _sections(steps: Sequence[TeachStep], candidates: Sequence[Candidate]) -> list[_Section]:
    explained = {step.concept.id for step in steps}
    sections: list[_Section] = []
    for step in steps:
        prerequisites: list[Entry] = []
        for concept in step.prerequisites:
            prerequisites.append(as_entry(concept, candidates, is_explained=concept.id in explained))
            explained.add(concept.id)
        sections.append(_Section(as_entry(step.concept, candidates), tuple(prerequisites)))
    return sections


def _places(candidates: Sequence[Candidate]) -> list[Rendered]:
    """The titles of course material worth reading again."""
    titles = dict.fromkeys(c.pair.question for c in candidates if c.pair.source is Source.MATERIAL)
    return [as_line(title) for title in list(titles)[:_MOST_PLACES]]
