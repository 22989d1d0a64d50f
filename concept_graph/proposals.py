"""What a language model may propose for a graph: what it is asked, and what of its reply holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from concept_graph.headings import ConceptSet
from concept_graph.names import name_key
from vta.quotes import Line, find_quotes
from vta.text import normalise
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId
from vta.types.pairs import QAPair

PASSAGES = 3
"""Passages that are shown of one concept."""
OTHERS = 12
"""Concepts of which the model may say that they come before one."""
LONGEST_EXPLANATION = 600
"""Characters; what is longer is no explanation in two sentences."""

Link = Callable[[str], Sequence[Concept]]
"""The concepts of the course that a text names, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncompleteConcept:
    """A concept of which something is missing, passages that name it, best first, and what they name too."""

    concept: Concept
    passages: tuple[QAPair, ...]
    others: tuple[Concept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedPrerequisite:
    """A form: the line of a passage that says that a concept comes before."""

    passage: int
    quote: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedConcept:
    """A form: what a passage says a concept is; passage 0 and no explanation where none does."""

    concept: str
    passage: int
    explanation: str
    before: tuple[ProposedPrerequisite, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalForm:
    """A form: one entry for each concept that was asked about."""

    concepts: tuple[ProposedConcept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """What of a reply holds: explanations, each with its passage, prerequisites, and how much was dropped."""

    explained: tuple[tuple[Concept, QAPair], ...] = ()
    edges: tuple[tuple[ConceptEdge, QAPair], ...] = ()
    dropped: int = 0


def find_asked(graph: ConceptSet, passages: Iterable[QAPair], link: Link) -> list[IncompleteConcept]:
    """The concepts without an explanation, then those without a sure prerequisite, if passages name them.

    The surest concepts come first.
    """
    concepts, edges = graph
    led_to = {edge.concept for edge in edges if edge.is_sure}
    surest = sorted(concepts, key=lambda each: -each.score)
    lacking = [each for each in surest if not each.definition]
    lacking += [each for each in surest if each.definition and each.id not in led_to]
    joined = {frozenset((edge.prerequisite, edge.concept)) for edge in edges}
    naming: defaultdict[ConceptId, list[tuple[bool, bool, int, QAPair]]] = defaultdict(list)
    named: dict[str, tuple[Concept, ...]] = {}
    for pair in passages:
        titled = {each.id for each in link(pair.question)}
        named[pair.id] = tuple(link(pair.answer))
        for at, each in enumerate(named[pair.id]):
            is_its_place = (pair.document, pair.locator) == (each.document, each.locator)
            naming[each.id].append((each.id not in titled, not is_its_place, at, pair))
    asked = []
    for concept in lacking:
        best = tuple(row[-1] for row in sorted(naming[concept.id], key=lambda row: row[:-1])[:PASSAGES])
        beside = {each.id: each for pair in best for each in named[pair.id]}
        others = [
            each
            for each in beside.values()
            if each.id != concept.id and frozenset((each.id, concept.id)) not in joined
        ]
        if best:
            asked.append(IncompleteConcept(concept=concept, passages=best, others=tuple(others[:OTHERS])))
    return asked


def read_reply(
    reply: ProposalForm, asked: Sequence[IncompleteConcept], passages: Sequence[QAPair], link: Link
) -> Proposals:
    """What holds of a reply about these concepts, whose n-th document was the n-th passage.

    Dropped is what is about another concept, rests on a passage that was not given for it, quotes what does
    not stand there or does not name the prerequisite, and names a prerequisite that was not offered.
    """
    known = {name_key(each.concept.name): each for each in asked}
    explained: dict[ConceptId, tuple[Concept, QAPair]] = {}
    edges: dict[tuple[ConceptId, ConceptId], tuple[ConceptEdge, QAPair]] = {}
    dropped = 0
    for said in reply.concepts:
        about = known.get(name_key(said.concept))
        if about is None:
            dropped += 1
            continue
        text = " ".join(said.explanation.split())
        if text and not about.concept.definition:
            passage = _given(said.passage, passages, about)
            if passage and len(text) <= LONGEST_EXPLANATION and about.concept.id not in explained:
                explained[about.concept.id] = _explained(about.concept, text, passage), passage
            else:
                dropped += 1
        for each in said.before:
            passage = _given(each.passage, passages, about)
            edge = _edge(each, about, passage, link) if passage else None
            if passage and edge:
                edges.setdefault((edge.prerequisite, edge.concept), (edge, passage))
            else:
                dropped += 1
    return Proposals(explained=tuple(explained.values()), edges=tuple(edges.values()), dropped=dropped)


def _given(number: int, passages: Sequence[QAPair], about: IncompleteConcept) -> QAPair | None:
    """The passage of this number, if it was given for the concept."""
    passage = passages[number - 1] if 1 <= number <= len(passages) else None
    return passage if passage in about.passages else None


def _explained(concept: Concept, text: str, passage: QAPair) -> Concept:
    return replace(concept, definition=text, document=passage.document, locator=passage.locator)


def _edge(
    said: ProposedPrerequisite, about: IncompleteConcept, passage: QAPair, link: Link
) -> ConceptEdge | None:
    quotes = find_quotes([said.quote], [Line(text=passage.answer)])
    wanted = normalise(said.name)
    before = next((each for each in about.others if normalise(each.name) == wanted), None)
    if not quotes or before is None or before.id not in {each.id for each in link(quotes[0].text)}:
        return None
    return ConceptEdge(
        prerequisite=before.id, concept=about.concept.id, score=0.0, evidence=(quotes[0].text,)
    )
