"""Concepts ready to print: their names and definitions as Markdown, with [n] where they were retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.markdown import escape_cell, escape_markdown, join_sentences, split_sentences
from prompts.render import Rendered
from vta.text import normalise
from vta.types import Candidate, Concept, Source


@dataclass(frozen=True, slots=True)
class Entry:
    """A concept ready to print: Markdown-escaped, the definition with its [n] where it was retrieved."""

    name: Rendered
    definition: Rendered
    n: int | None


def as_entry(concept: Concept, candidates: Sequence[Candidate], *, is_explained: bool = False) -> Entry:
    """The concept with its definition: the retrieved one where there is one, so that its [n] is true.

    It is left out where it stands elsewhere in the answer.
    """
    n = _number_of(concept, candidates)
    definition = candidates[n - 1].pair.answer if n else concept.definition
    mark = f" [{n}]" if n else ""
    whole = join_sentences(split_sentences(definition))
    return Entry(
        name=as_line(concept.name),
        definition=Rendered(f"{escape_markdown(whole)}{mark}" if whole and not is_explained else ""),
        n=n,
    )


def _number_of(concept: Concept, candidates: Sequence[Candidate]) -> int | None:
    """The number of the retrieved (concept, explanation) pair of a concept, counted from 1."""
    names = {normalise(name) for name in names_of(concept)}
    for n, candidate in enumerate(candidates, start=1):
        if candidate.pair.source is Source.CONCEPT and normalise(candidate.pair.question) in names:
            return n
    return None


def names_of(concept: Concept) -> tuple[str, ...]:
    return (concept.name, *concept.aliases)


def as_line(text: str) -> Rendered:
    return Rendered(escape_cell(text))
