"""An answer, its citations, and the events of its making."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from vta.faults import Fault
from vta.types.concepts import ConceptCard
from vta.types.courses import CourseId, PairId, SessionId, TurnId
from vta.types.pairs import Degradation, Locator, RankingSummary, Source
from vta.types.questions import IntentPrediction


class Route(StrEnum):
    """How a question was answered."""

    CHIT_CHAT = "chit_chat"
    DIRECT = "direct"
    CHAIN_OF_TEACH = "chain_of_teach"
    REFUSED = "refused"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A numbered source of an answer, bound to a retrieved pair; `n` counts from 1.

    `quoted` says that the answer shows an excerpt of it, which ends in [n]. `marked` is the sentence of that
    excerpt which answers, in one line: code in it stands between backticks, a formula between dollar signs.
    It is empty where the excerpt has only one piece, or the piece that answers is no sentence.
    """

    n: int
    pair_id: PairId
    source: Source
    title: str
    passage: str
    document: str | None = None
    url: str | None = None
    locator: Locator = field(default_factory=Locator)
    quoted: bool = False
    marked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One stage of a question: what was decided and how long it took."""

    stage: str
    decision: str
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offered question: the label of its button, and the question that the button asks."""

    label: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The reply to one question. `text` is Markdown; control signals are fields, never words in it.

    `exercise` is the one that the next turn in practice mode is an attempt at.
    """

    turn_id: TurnId
    session_id: SessionId
    course_id: CourseId
    route: Route
    text: str
    citations: tuple[Citation, ...]
    concepts: tuple[ConceptCard, ...]
    intent: IntentPrediction
    ranking: RankingSummary | None
    standalone_question: str
    degraded: Degradation | None
    actions: tuple[str, ...]
    trace: tuple[TraceStep, ...]
    offers: tuple[Offer, ...] = ()
    exercise: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question and its answer as stored; `number` counts from 1 inside the session.

    `flagged` says that the guard took the question for an attack, however it was answered.
    """

    id: TurnId
    session_id: SessionId
    course_id: CourseId
    number: int
    question: str
    answer: Answer
    created_at: datetime
    flagged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTurn:
    """An earlier question and its answer as context, from a stored turn or as a caller sends them.

    `concepts` are the names of those it was about. A `flagged` one is never shown to a language model.
    """

    question: str
    standalone_question: str
    answer: str
    route: Route
    concepts: tuple[str, ...]
    flagged: bool
    citations: tuple[Citation, ...] = ()
    exercise: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The first event of an answer: the ids under which it will be stored."""

    turn_id: TurnId
    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A further piece of the answer's Markdown while it is being written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a document that may become a passage, with its place."""

    text: str
    locator: Locator


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A file, or a part of one, that was left out, and why; `line` counts from 1 where the fault has one."""

    path: str
    fault: Fault
    line: int | None = None

    @property
    def reason(self) -> str:
        """The fault in English."""
        return self.fault.text()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesFound:
    """The sources of a language model's text, before it writes; [n] in its pieces is the n-th of them.

    The finished answer has those that it cites, under new numbers.
    """

    sources: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationsFound:
    """The numbered sources of an answer, none for an answer that cites nothing."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptsFound:
    """The concepts of a question as cards, none where it names none."""

    concepts: tuple[ConceptCard, ...]


DialogueEvent = Started | TraceStep | SourcesFound | Delta | CitationsFound | ConceptsFound | Answer
"""The events of `Assistant.stream` in order; the last one is the whole `Answer`."""
