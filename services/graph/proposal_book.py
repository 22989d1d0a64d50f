"""The proposals of a language model: its prompts, and the stored part of its replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from concept_graph.proposals import IncompleteConcept
from prompts.messages import AskedConcept, proposal_messages
from services.documents.rows import PROPOSED, SUPPORTED
from services.documents.store import SqlDocuments
from services.graph.files import graph_document
from vta.languages import Language
from vta.tokens import message_tokens
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, CourseId
from vta.types.documents import CourseDocument
from vta.types.language_model import ChatMessage
from vta.types.pairs import QAPair


@dataclass(slots=True)
class ProposalBook:
    """The proposals of one course.

    `asked` are all concepts asked about, with the explanation that waits for a teacher or none. `supported`
    ones are known to the graph, which takes their explanation where it has no other.
    """

    asked: dict[ConceptId, Concept]
    supported: dict[ConceptId, Concept]

    def explain(self, concept: Concept, *, supported: bool) -> None:
        """Note a proposed explanation; a supported one only completes what the graph holds."""
        if supported:
            self.supported[concept.id] = replace(concept, curated=False, built=False)
        else:
            self.asked[concept.id] = concept

    def settle(self, concept: ConceptId) -> None:
        """Take out a concept's explanation; the concept stays asked about."""
        self.supported.pop(concept, None)
        if concept in self.asked:
            self.asked[concept] = replace(self.asked[concept], definition="")

    def forget(self, concept: ConceptId) -> None:
        """Let the concept be asked about again."""
        self.supported.pop(concept, None)
        self.asked.pop(concept, None)


def read_book(documents: SqlDocuments, course_id: CourseId) -> ProposalBook:
    """The proposals of a course; none where none were made."""
    found = (documents.document(course_id, path) for path in (PROPOSED, SUPPORTED))
    return _book({each.path: each for each in found if each})


def change_book(documents: SqlDocuments, course_id: CourseId, change: Callable[[ProposalBook], None]) -> None:
    """Change the proposals of a course; no other writer comes between reading and writing them."""

    def rewritten(stored: Mapping[str, CourseDocument]) -> tuple[CourseDocument, ...]:
        book = _book(stored)
        change(book)
        return (
            graph_document(PROPOSED, tuple(book.asked.values())),
            graph_document(SUPPORTED, tuple(book.supported.values())),
        )

    documents.rewrite(course_id, (PROPOSED, SUPPORTED), rewritten)


def _book(stored: Mapping[str, CourseDocument]) -> ProposalBook:
    asked, supported = (
        {each.id: each for each in stored[path].concepts} if path in stored else {}
        for path in (PROPOSED, SUPPORTED)
    )
    return ProposalBook(asked=asked, supported=supported)


AT_ONCE = 3
"""Concepts in one prompt."""
ANSWER_TOKENS = 200
"""Assumed tokens of a reply about a concept."""
LONGEST_PASSAGE = 1_200
"""Characters of a passage in a prompt; the rest is cut."""
_CHARACTERS_A_PROMPT_TOKEN = 3
"""By which all passages of a prompt are cut where the model has little room; half of it is left free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Concepts asked about in one prompt; its n-th document is the n-th passage."""

    asked: tuple[IncompleteConcept, ...]
    passages: tuple[QAPair, ...]
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The prompts of a run; tokens are estimates."""

    batches: tuple[Batch, ...]

    @property
    def concepts(self) -> int:
        """How many concepts are asked about."""
        return sum(len(batch.asked) for batch in self.batches)

    @property
    def prompt_tokens(self) -> int:
        """Those of all prompts, if none has to be repeated."""
        return sum(message_tokens(batch.messages) for batch in self.batches)

    @property
    def completion_tokens(self) -> int:
        """Those of all replies."""
        return self.concepts * ANSWER_TOKENS


def batches(asked: Iterable[IncompleteConcept], language: Language, *, room: int) -> Iterator[Batch]:
    """The concepts in order, as many to a prompt as `room` tokens hold, and at most `AT_ONCE`."""
    batch: Batch | None = None
    for each in asked:
        more = _batch((*batch.asked, each) if batch else (each,), language, room)
        if batch and (len(more.asked) > AT_ONCE or message_tokens(more.messages) > room):
            yield batch
            more = _batch((each,), language, room)
        batch = more
    if batch:
        yield batch


def _batch(asked: tuple[IncompleteConcept, ...], language: Language, room: int) -> Batch:
    passages = tuple({pair.id: pair for each in asked for pair in each.passages}.values())
    shown = [
        AskedConcept(
            name=each.concept.name,
            documents=tuple(passages.index(pair) + 1 for pair in each.passages),
        )
        for each in asked
    ]
    longest = min(LONGEST_PASSAGE, max(1, room // (_CHARACTERS_A_PROMPT_TOKEN * len(passages))))
    texts = [f"{pair.question}\n{pair.answer}"[:longest] for pair in passages]
    return Batch(asked=asked, passages=passages, messages=proposal_messages(shown, texts, language))
