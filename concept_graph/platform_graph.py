"""One graph of the platform from what its documents say, course by course."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from concept_graph.headings import ConceptSet, merge
from vta.types import Concept, ConceptEdge, ConceptId


def unite(concepts: Iterable[Concept], edges: Iterable[ConceptEdge]) -> ConceptSet:
    """The concepts and edges that hold together.

    A concept seen in several documents of a course is one, with the first explanation found. Where a course
    has curated concepts they rule: its weak ones only complete their explanations and places.
    """
    everything = tuple(concepts)
    curated = _once(concept for concept in everything if concept.curated)
    weak = _once(concept for concept in everything if not concept.curated)
    written, guessed = _part(edges)
    merged, merged_edges = merge((curated, written), (weak, guessed))
    ruled = {course for concept in curated for course in concept.courses}
    kept = {c.id: c for c in merged if c.curated or not ruled.intersection(c.courses)}
    return tuple(kept.values()), tuple(e for e in merged_edges if {e.prerequisite, e.concept} <= kept.keys())


def _once(concepts: Iterable[Concept]) -> tuple[Concept, ...]:
    """Each concept once: the first that has an explanation, else the first, with the aliases of all."""
    seen: dict[ConceptId, Concept] = {}
    for concept in concepts:
        before = seen.setdefault(concept.id, concept)
        chosen = concept if concept.definition and not before.definition else before
        aliases = tuple(dict.fromkeys((*before.aliases, *concept.aliases)))
        seen[concept.id] = replace(chosen, aliases=aliases)
    return tuple(seen.values())


def _part(edges: Iterable[ConceptEdge]) -> tuple[tuple[ConceptEdge, ...], tuple[ConceptEdge, ...]]:
    """The edges written by a person, and the others."""
    everything = tuple(edges)
    return tuple(e for e in everything if e.curated), tuple(e for e in everything if not e.curated)
