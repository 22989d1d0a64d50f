"""Ask a language model for missing explanations of concepts, and validate its reply."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from concept_graph.names import name_key
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.pairs import QAPair

PASSAGES = 3
"""Passages that are shown of one concept."""
LONGEST_EXPLANATION = 600
"""Characters; what is longer is no explanation in two sentences."""

Link = Callable[[str], Sequence[Concept]]
"""The concepts of the course that a text names, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncompleteConcept:
    """A concept without an explanation, and passages that name it, best first."""

    concept: Concept
    passages: tuple[QAPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedConcept:
    """One entry of the reply; `passage` is 0 and `explanation` empty where no passage explains it."""

    concept: str
    passage: int
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalForm:
    """The reply: one entry for each concept that was asked about."""

    concepts: tuple[ProposedConcept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """The valid explanations of a reply, each with its passage, and the number of dropped ones."""

    explained: tuple[tuple[Concept, QAPair], ...] = ()
    dropped: int = 0


def find_asked(
    concepts: Iterable[Concept], passages: Iterable[QAPair], link: Link
) -> list[IncompleteConcept]:
    """The concepts without an explanation that passages name, the surest first."""
    naming: defaultdict[ConceptId, list[tuple[bool, bool, int, QAPair]]] = defaultdict(list)
    for pair in passages:
        titled = {each.id for each in link(pair.question)}
        for at, each in enumerate(link(pair.answer)):
            is_its_place = (pair.document, pair.locator) == (each.document, each.locator)
            naming[each.id].append((each.id not in titled, not is_its_place, at, pair))
    asked = []
    for concept in sorted(concepts, key=lambda each: -each.score):
        best = tuple(row[-1] for row in sorted(naming[concept.id], key=lambda row: row[:-1])[:PASSAGES])
        if best and not concept.definition:
            asked.append(IncompleteConcept(concept=concept, passages=best))
    return asked


def read_reply(
    reply: ProposalForm, asked: Sequence[IncompleteConcept], passages: Sequence[QAPair]
) -> Proposals:
    """The explanations of a reply that hold; document n of the prompt was the n-th passage.

    Drops explanations of another concept, from a passage that was not given for it, too long, or repeated.
    """
    known = {name_key(each.concept.name): each for each in asked}
    explained: dict[ConceptId, tuple[Concept, QAPair]] = {}
    dropped = 0
    for said in reply.concepts:
        about, text = known.get(name_key(said.concept)), " ".join(said.explanation.split())
        if about is not None and not text:
            continue
        passage = passages[said.passage - 1] if 1 <= said.passage <= len(passages) else None
        if (
            about is None
            or passage is None
            or passage not in about.passages
            or len(text) > LONGEST_EXPLANATION
            or about.concept.id in explained
        ):
            dropped += 1
            continue
        concept = replace(about.concept, definition=text, document=passage.document, locator=passage.locator)
        explained[concept.id] = concept, passage
    return Proposals(explained=tuple(explained.values()), dropped=dropped)
