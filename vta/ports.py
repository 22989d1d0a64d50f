"""The ports between the dialogue and the rooms around it, of at most five methods each."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, runtime_checkable

from vta.languages import Language
from vta.types.answers import Answer, Turn
from vta.types.concepts import Concept, ConceptEdge, Mention
from vta.types.courses import ConceptId, Course, CourseId, SessionId, TurnId
from vta.types.documents import CourseDocument, DocumentState, WaitingDocument
from vta.types.language_model import ChatMessage, Completion, JsonSchema, ModelUsage
from vta.types.pairs import Candidate, QAPair, Ranking
from vta.types.questions import IntentPrediction, Question, Suspicion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """The time of day, always with a time zone."""

    def now(self) -> datetime: ...


class IntentClassifier(Protocol):
    """Classifies the intent of a question, from d = [CLS] x_{t-1}, c [SEP] q_t."""

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        """Probabilities over the six labels, summing to 1. `previous` is the student's last question."""


class Guard(Protocol):
    """Looks for attacks in what students write. A signal: alone it blocks nothing."""

    def inspect(self, text: str) -> Suspicion: ...


class GuardAudit(Protocol):
    """Records which turns were flagged."""

    def flagged(self, turn_id: TurnId, suspicion: Suspicion) -> None:
        """Record the verdict on a stored turn, without its text, until the turn is deleted."""


class Embedder(Protocol):
    """Puts texts into a space where texts of like meaning are near."""

    @property
    def name(self) -> str:
        """Identifies this model; an index records it and refuses the vectors of another."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the texts in their order: n x d, of unit length; overlong texts are cut.

        The same text has the same row (within 1e-3) in any batch. `UpstreamFailed` where a server fails or
        takes too long.
        """


class Reranker(Protocol):
    """Judges texts for a question by reading both together."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A finite score for each text in their order, higher for a better answer; overlong texts are cut.

        `UpstreamFailed` where a server fails or takes too long.
        """


class DocumentReader(Protocol):
    """Reads one kind of file."""

    def handles(self, path: str) -> bool:
        """Whether this reader is for a file of this name."""

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        """The document in a file, read from its start; nothing is written to disk.

        Every fault is `InvalidInput` with the path and, if known, the line. Faulty parts that the rest can do
        without are the document's `rejected`.
        """


@runtime_checkable
class FolderPacker(Protocol):
    """A `DocumentReader` of folders that are one document, which it reads as one file."""

    def entry(self, folder: Path) -> str | None:
        """The name under which the folder is one document, relative to it; None for any other folder."""

    def pack(self, folder: Path) -> BinaryIO:
        """The folder as one file, the same bytes for the same content. The caller closes it."""


class Ranker(Protocol):
    """Ranks a course's pairs for a question: S(z, q) of the paper, relative to a perfect pair, and more."""

    def rank(
        self,
        question: str,
        *,
        course: Course,
        mentions: Sequence[Mention],
        chit_chat: float,
        top: int,
        found: Sequence[QAPair] = (),
    ) -> Ranking:
        """The most relevant pairs; `found` are search-engine pairs, which compete with those of the index."""

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        """The passage of the course that teaches a concept best, if any names it."""


class WebSearch(Protocol):
    """A search engine: E of the paper. It is another service, so it is asked only when needed."""

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        """At most `limit` pairs (headline, text) of the course, with source `search`, best first.

        Plain text, each with a link to a public http or https address. `UpstreamFailed` where the engine
        fails or takes too long.
        """


class ConceptLinker(Protocol):
    """NER(q): the concepts of a question by dictionary match."""

    def link(self, text: str, *, course: Course) -> tuple[Mention, ...]:
        """Mentions in order of appearance, longest match first, each concept once."""


class ConceptGraph(Protocol):
    """Concepts and which of them come first."""

    def concept(self, concept_id: ConceptId) -> Concept:
        """The concept, or `NotFound`."""

    def concepts(self, course_id: CourseId) -> tuple[Concept, ...]:
        """Those of a course, by name."""

    def prerequisites(self, concept_id: ConceptId, *, least: float = 0.0) -> tuple[Concept, ...]:
        """The direct prerequisites, surest first, by edges of a person or of a score of at least `least`."""

    def edges(self, course_id: CourseId) -> tuple[ConceptEdge, ...]: ...

    def chains(self, concept_id: ConceptId, *, onward: bool = False) -> tuple[ConceptEdge, ...]:
        """The edges of all chains that lead to the concept or, `onward`, of all that lead away from it.

        In the order of `edges`; `NotFound` for an unknown id.
        """


class LanguageModel(Protocol):
    """A language model behind a chat API. Failures are `UpstreamFailed`, never half an answer.

    The tokens of a call count for `course_id`.
    """

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        course_id: CourseId | None = None,
        schema: JsonSchema | None = None,
    ) -> Completion:
        """The whole answer: JSON of `schema` where the server can enforce it, else as the messages ask."""

    def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        """Pieces of the answer as they come; a stream that breaks off raises `UpstreamFailed`.

        `AnswerCutShort` after the last piece of an answer that exceeds its limit.
        """


class UsageMeter(Protocol):
    """Sums the tokens that the language models use."""

    def record(self, usage: ModelUsage) -> None:
        """Add to the course's usage of this model today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """Graph, linker and ranker of one revision of the store.

    `version_of` a course is another one once the course has changed, or anything that it borrows from others:
    while it stays, the same question has the same answer.
    """

    graph: ConceptGraph
    linker: ConceptLinker
    ranker: Ranker
    version_of: Callable[[Course], Hashable] = lambda course: course


class KnowledgeBase(Protocol):
    """The knowledge of the store's current revision."""

    def current(self, course: Course | None = None) -> Knowledge:
        """With a `course`, no older than this one and those that lend to it; else no older than the store.

        Raises only where the store cannot be read.
        Where the index is unavailable, behind or damaged, its ranker raises `UpstreamFailed` or `NotReady`,
        or sets `Ranking.degraded`.
        """


class SessionStore(Protocol):
    """Sessions and turns. A session belongs to one course and never shows in another."""

    def turns(
        self,
        course_id: CourseId,
        session_id: SessionId,
        *,
        last: int | None = None,
        learner_id: str | None = None,
    ) -> tuple[Turn, ...]:
        """The turns in order, or the `last` of them alone, at a cost that does not grow with the session.

        `NotFound` for an unknown session, one of another course, and with `learner_id` one of another
        learner.
        """

    def record(self, question: Question, answer: Answer, *, flagged: bool = False) -> Turn:
        """Store a turn as the next of its session, a new one where needed; `flagged` by the guard or not."""


class CourseStore(Protocol):
    """Courses: the truth from which index and graph are derived."""

    def course(self, course_id: CourseId) -> Course:
        """The course, or `NotFound`."""

    def courses(self) -> tuple[Course, ...]:
        """All courses by id."""


class DocumentStore(Protocol):
    """The documents of the courses, with the pairs, concepts and edges made of them."""

    def states(self, course_id: CourseId) -> Mapping[str, DocumentState]:
        """Content hash and folder of each stored document, by path."""

    def apply(self, course_id: CourseId, *, put: Iterable[CourseDocument], remove: Sequence[str] = ()) -> int:
        """Store and remove documents in one transaction, and return the new revision of the store.

        `put` is read one document at a time, and from its start again where another writer was faster.
        """


class CourseDocuments(Protocol):
    """The documents of a course, as the dialogue reads them."""

    def states(self, course_id: CourseId) -> Mapping[str, DocumentState]:
        """As `DocumentStore.states`."""

    def passages(self, course_id: CourseId, path: str) -> tuple[QAPair, ...]:
        """The pairs of a document in their order; none where there is no such document."""

    def waiting(self, course_id: CourseId) -> Sequence[WaitingDocument]:
        """The documents that wait for their date or week, the soonest first."""


class ExactMatches(Protocol):
    """Finds an FAQ answer by its wording in the store, for a failed search."""

    def find(self, course_id: CourseId, question: str) -> QAPair | None:
        """The FAQ pair with this question among its wordings, compared by `vta.faq.comparison_key`.

        Of several, one that an instructor wrote here goes before one from a file.
        """
