"""The words of the project: frozen values that pass between the rooms.

Every type is immutable and knows no server, file or framework. Scores are floats without unit unless the
docstring gives one; times are seconds (`*_s`) or milliseconds (`*_ms`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, NewType

from vta.faults import Fault
from vta.kinds import Kind
from vta.languages import Language as Language

CourseId = NewType("CourseId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
DocumentId = NewType("DocumentId", str)
PairId = NewType("PairId", str)
ConceptId = NewType("ConceptId", str)
FaqId = NewType("FaqId", str)
KeyId = NewType("KeyId", str)


class Source(StrEnum):
    """Where a QA pair comes from (section 3.1 of the LittleMu paper)."""

    CONCEPT = "concept"
    SEARCH = "search"
    FAQ = "faq"
    MATERIAL = "material"


class IntentLabel(StrEnum):
    """The six classes of Table 1 of the LittleMu paper."""

    SIMPLE = "simple"
    COMPLEX = "complex"
    PLATFORM = "platform"
    GENERAL_CHAT = "general_chat"
    EMOTIONAL_CHAT = "emotional_chat"
    OTHER = "other"


CHIT_CHAT_LABELS = frozenset({IntentLabel.GENERAL_CHAT, IntentLabel.EMOTIONAL_CHAT})


class Route(StrEnum):
    """How a question was answered."""

    CHIT_CHAT = "chit_chat"
    DIRECT = "direct"
    CHAIN_OF_TEACH = "chain_of_teach"
    REFUSED = "refused"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A course of the platform; `domains` is D(c) of the ranking.

    `relevance`, `alpha` and `beta` are its own thresholds; None means those of the settings. `refusal` is the
    sentence, as plain text, that a student reads where the course holds no answer; None means the usual one.
    `shares_concepts` and `takes_concepts` are its instructors' word on lending concepts and using lent ones;
    the admin names a course whose graph is the platform's own, for all courses, by `is_platform_graph`.
    An `archived` course is there to be read: students ask it nothing, and instructors change nothing.
    """

    id: CourseId
    name: str
    domains: tuple[str, ...]
    language: Language
    relevance: float | None = None
    alpha: float | None = None
    beta: float | None = None
    refusal: str | None = None
    shares_concepts: bool = False
    takes_concepts: bool = False
    is_platform_graph: bool = False
    archived: bool = False

    def lends_to(self, other: Course) -> bool:
        """Whether another course may use the concepts of this one, as far as g lets it."""
        return self.is_platform_graph or (self.shares_concepts and other.takes_concepts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where a passage stands: under headings, on a page, or at a second of a video."""

    heading_path: tuple[str, ...] = ()
    page: int | None = None
    video: str | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QAPair:
    """The unified form of everything that can answer (section 3.1 of the paper).

    (concept, explanation), (headline, text), (q, a), or a passage of course material as
    (heading path, passage). `domains` is D(c_z), the domains of the course the pair belongs to.
    `document` is the path as ingested, relative to the folder given. `similar_questions` are further ways to
    ask the question; `negative_questions` look alike, and the pair is no answer to them.
    """

    id: PairId
    course_id: CourseId
    source: Source
    question: str
    answer: str
    domains: tuple[str, ...] = ()
    document: str | None = None
    locator: Locator = field(default_factory=Locator)
    url: str | None = None
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()

    @property
    def wordings(self) -> tuple[str, ...]:
        """The question and its further ways to be asked."""
        return (self.question, *self.similar_questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What is looked up: analysed words and character grams of a question, each with its boost."""

    words: tuple[tuple[str, float], ...]
    grams: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionStatistics:
    """What BM25 needs to know of all pairs of a course, as the engine of the index counts them.

    How many there are, their average lengths in tokens by field, and in how many each (field, token) of a
    query occurs.
    """

    documents: int
    average_lengths: Mapping[str, float]
    frequencies: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWeight:
    """Selects the pairs of one source in one course and gives them their weight in S(z, q).

    `question` and `answer` say how much a match in either side of the pair counts in its BM25.
    """

    source: Source
    course_id: CourseId
    weight: float
    question: float
    answer: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A pair with S(z, q) = weight * bm25; `score` is S.

    `similarity` is the cosine of the pair's embedding and the question's, in -1..1, where vectors are on and
    the pair is among the nearest. It never enters S: a pair that only vectors found has its own S, which is 0
    where it shares no term with the question. `relevance` is the learned probability, in 0..1, that the pair
    answers the question, and gives the order. `answerable` is that of there being an answer at all, judged by
    this pair, and parts what is answered from what is refused. Both are None where it was not judged.
    """

    pair: QAPair
    bm25: float
    weight: float
    score: float
    similarity: float | None = None
    relevance: float | None = None
    answerable: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The best pairs for a question, best first; `terms` were looked up.

    Best is the highest relevance, ties by S, then by pair id; of FAQ pairs that are as relevant as the best,
    the one whose answer most others give is the first.
    `degraded` says what was left out of the ranking, and why.
    """

    terms: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    degraded: Degradation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept of the graph; `score` in 0..1 says how sure we are that it is one.

    `curated` concepts were written by a person: a course that has any is not given weak ones. `built` ones
    were found in all of a course's material at once, and stand in for those of its headings.
    """

    id: ConceptId
    name: str
    aliases: tuple[str, ...] = ()
    definition: str = ""
    domains: tuple[str, ...] = ()
    courses: tuple[CourseId, ...] = ()
    score: float = 1.0
    curated: bool = False
    built: bool = False
    first_seen: str | None = None
    locator: Locator = field(default_factory=Locator)
    document: str | None = None


SURE = 0.9
"""The score of an edge from which an answer shows it: of those found, nine of ten were read to be right. What
a person wrote has 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptEdge:
    """`prerequisite` should be known before `concept`; `evidence` holds the lines that say so."""

    prerequisite: ConceptId
    concept: ConceptId
    score: float = 1.0
    evidence: tuple[str, ...] = ()
    curated: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether students see it: a person wrote it, or its score is at least `SURE`."""
        return self.curated or self.score >= SURE


@dataclass(frozen=True, slots=True, kw_only=True)
class AddConcept:
    """There is a concept of this name."""

    kind: Literal["add"] = "add"
    name: str
    aliases: tuple[str, ...] = ()
    definition: str = ""
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectConcept:
    """The thing called so is no concept of the course."""

    kind: Literal["reject"] = "reject"
    concept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameConcept:
    """The concept is called `name`; what it was called stays as an alias."""

    kind: Literal["rename"] = "rename"
    concept: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeConcepts:
    """`other` is the same concept as `concept`, whose name stays."""

    kind: Literal["merge"] = "merge"
    concept: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainConcept:
    """The explanation of the concept is this one."""

    kind: Literal["explain"] = "explain"
    concept: str
    definition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConcepts:
    """`prerequisite` should be known before `concept`, and why."""

    kind: Literal["link"] = "link"
    prerequisite: str
    concept: str
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkConcepts:
    """`prerequisite` need not be known before `concept`."""

    kind: Literal["unlink"] = "unlink"
    prerequisite: str
    concept: str


GraphEdit = (
    AddConcept
    | RejectConcept
    | RenameConcept
    | MergeConcepts
    | ExplainConcept
    | LinkConcepts
    | UnlinkConcepts
)
"""What a person changes in the concept graph of a course, naming concepts: names outlive a build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEdit:
    """An edit as stored; `number` counts from 1 inside the course, and no number comes twice."""

    course_id: CourseId
    number: int
    edit: GraphEdit
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A concept found in a text, at `start:end` of the normalised text."""

    concept: Concept
    start: int
    end: int
    surface: str


OTHER_TASK = 0.4
"""Chosen on rows held out (docs/measured.md, "Intent"): as many course questions are lost as at 0.5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentPrediction:
    """The intent of a question; `chit_chat` is h, the probability of general or emotional chit-chat.

    `other_task` is the probability that it asks for a task which is not the course's: the weather, a
    translation, homework to be done, somebody else's data. It is none of the six labels.
    """

    label: IntentLabel
    chit_chat: float
    probabilities: Mapping[IntentLabel, float]
    other_task: float = 0.0

    @property
    def is_other_task(self) -> bool:
        """Whether `other_task` is above `OTHER_TASK`."""
        return self.other_task > OTHER_TASK


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """Whether a text looks like orders to the assistant: 0..1, and the kind of attack where it is flagged."""

    malicious: float
    flag: bool
    kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where in the course the student is: a unit (its name or file), a second of a video, a page, a heading.

    Pages count from 1.
    """

    unit: str | None = None
    video: str | None = None
    second: float | None = None
    page: int | None = None
    heading: str | None = None


class Mode(StrEnum):
    """`ANSWER` explains; `HINT` leads step by step."""

    ANSWER = "answer"
    HINT = "hint"


class Unsupported(StrEnum):
    """What becomes of a language model's sentence that the given knowledge does not support."""

    KEEP = "keep"
    MARK = "mark"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and its answer as a caller sends them; nothing vouches that they were given here."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a student. A `session_id` that is None opens a new session.

    `earlier` is the dialogue as a caller that keeps it itself sends it, oldest first. It gives a new
    session its context and is not stored; a session that is named has turns of its own, and these count.
    """

    course_id: CourseId
    text: str
    session_id: SessionId | None = None
    learner_id: str | None = None
    position: Position | None = None
    mode: Mode = Mode.ANSWER
    earlier: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message to a language model; `role` is system, user or assistant."""

    role: str
    content: str


JsonSchema = Mapping[str, object]
"""A JSON Schema of an object: every property required, no others allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a language model answered, and what it cost in tokens."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What calls to one language model cost in tokens, for a course or for none.

    `uncounted` of the `calls` came without a count of tokens: the server gave none, or the answer broke off.
    """

    course_id: CourseId | None
    model: str
    calls: int = 1
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


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
class Prerequisite:
    """A concept to know first; `where` is the place at which it is taught, in words of the course's language.

    Answers stored before places were kept have these words alone, without `document` and `locator`.
    """

    name: str
    definition: str
    where: str | None = None
    document: str | None = None
    locator: Locator = Locator()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptCard:
    """A concept of the question as it is shown to the student."""

    name: str
    definition: str
    domains: tuple[str, ...]
    prerequisites: tuple[Prerequisite, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a concept is taught; `passage` is what stands there, empty where only the place is known.

    `title` is what the document is called, where that is known.
    """

    document: str
    locator: Locator
    passage: str = ""
    url: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStep:
    """A concept to know on the way to another; `distance` counts the edges of the shortest chain to it."""

    concept: Concept
    distance: int
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedConcept:
    """A concept at the other end of an edge, with what the edge rests on."""

    concept: Concept
    edge: ConceptEdge
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtConcept:
    """A concept with where it is taught."""

    concept: Concept
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptStudy:
    """What a card shows of one concept: where it is taught, what comes before it, and what builds on it.

    `prerequisites` are the direct ones, surest first. `path` is in an order in which it can be learnt;
    `path_left_out` and `dependents_left_out` count what the limits left out of the two lists. Where the path
    is empty, `taught_before` is what the course explains just before: its order, no prerequisites.
    """

    concept: Concept
    place: Place | None
    prerequisites: tuple[RelatedConcept, ...]
    path: tuple[LearningStep, ...]
    path_left_out: int
    dependents: tuple[RelatedConcept, ...]
    dependents_left_out: int
    taught_before: tuple[TaughtConcept, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """A concept among those before it, in columns with the nearest first, and those after it.

    A pair (a, b) of `order` says that a comes before b with none of these concepts between the two. Those of
    `unsure` stand on no chain of sure edges.
    """

    concept: Concept
    before: tuple[tuple[Concept, ...], ...]
    after: tuple[Concept, ...]
    order: tuple[tuple[ConceptId, ConceptId], ...]
    unsure: frozenset[tuple[ConceptId, ConceptId]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TeachStep:
    """What Algorithm 1 gathers for one concept k_i: definition, domains, prerequisites with definitions."""

    concept: Concept
    prerequisites: tuple[Concept, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How an answer is wanted, beside what it is about.

    `kinds` are what the question asks for. `told` are the texts of earlier answers: none is given again.
    """

    kinds: frozenset[Kind] = frozenset()
    shorter: bool = False
    simpler: bool = False
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedExample:
    """An expert's worked answer of the Chain of Teach library S_cot."""

    id: str
    language: Language
    kind: str
    subject: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeachPrompt:
    """The prompt f = e + r + q of Algorithm 1, with its parts.

    `messages` is what a language model is sent; `prompt` is the same as one text. `tokens` is an estimate of
    their length, and `dropped` names the pieces that were left out to keep to the budget.
    """

    steps: tuple[TeachStep, ...]
    reasoning: str
    examples: tuple[WorkedExample, ...]
    prompt: str
    messages: tuple[ChatMessage, ...]
    tokens: int = 0
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One stage of a question: what was decided and how long it took."""

    stage: str
    decision: str
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A stage that could not do its best, and why; the answer is still honest."""

    stage: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSummary:
    """What the direct-or-teach decision rested on: best S against beta, over `terms`."""

    score: float
    beta: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A question to go on with: the words on its button, and what is asked when it is chosen."""

    label: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The reply to one question. `text` is Markdown; control signals are fields, never words in it."""

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


class Scope(StrEnum):
    """How much of the place where the student is a question asks about."""

    MOMENT = "moment"
    PAGE = "page"
    LECTURE = "lecture"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question in the light of the turns before it.

    `question` is what is asked. `wish` is how the last answer is wanted otherwise, None where it is no
    operation on that; where it `names` what it is about, it needs no last answer. `scope` is what it asks of
    the place where the student is ("explain this slide"), None where it does not speak of it. `carried` is
    the question after the one that opened the subject of the last turn, where it may go on with that.
    """

    question: str
    wish: Wish | None = None
    scope: Scope | None = None
    carried: str | None = None
    names: bool = False


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
class SourceDocument:
    """A file as read: its blocks in reading order, and the parts that could not be read."""

    path: str
    title: str
    blocks: tuple[Block, ...]
    rejected: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseDocument:
    """A document of a course as the store keeps it: its content hash and what was made of it.

    `path` is relative to the folder given to `vta ingest`, and `folder` is that folder's name (empty for a
    file given by itself); `sha256` is the hex digest of the file's bytes. `rejected` are parts of the file
    that were left out; their words are stored. `title`, which may name the lecture of the file, is not.
    Pairs that are `off` were switched off by a teacher: they are kept, and used for nothing.
    """

    path: str
    sha256: str
    folder: str = ""
    title: str = ""
    pairs: tuple[QAPair, ...] = ()
    concepts: tuple[Concept, ...] = ()
    edges: tuple[ConceptEdge, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    off: tuple[PairId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """What the store knows of a document without reading it."""

    sha256: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChanges:
    """What became of the pairs between two revisions of the store.

    `put` are the pairs that were added or edited, as they are at `revision`; `removed` those that are gone,
    each with the course that had it. `concepts` says whether a concept or an edge changed, `courses` whether
    a course itself may have, as in its domains or what it lends.
    """

    revision: int
    put: tuple[QAPair, ...]
    removed: Mapping[PairId, CourseId]
    concepts: bool
    courses: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Thumbs of a student for one turn; `rating` is up or down."""

    turn_id: TurnId
    rating: str
    reason: str | None = None
    comment: str | None = None


class QuestionState(StrEnum):
    """What became of a question handed to a real TA."""

    WAITING = "waiting"
    ANSWERED = "answered"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingQuestion:
    """A question handed to a real TA, waiting or settled.

    `faq_id` is the entry that answered it; `reason` says why it was rejected; `resolved_at` is when it was
    settled. `assignee` is the TA who takes care of it. `standalone_question` is what a follow-up asks by
    itself, None where the question's own words say it.
    """

    id: str
    course_id: CourseId
    turn_id: TurnId
    question: str
    state: QuestionState
    created_at: datetime
    faq_id: FaqId | None = None
    reason: str | None = None
    resolved_at: datetime | None = None
    assignee: str | None = None
    standalone_question: str | None = None

    @property
    def asks(self) -> str:
        """What is asked, in words that need no conversation before them."""
        return self.standalone_question or self.question


class MessageKind(StrEnum):
    """Who wrote in the thread of a waiting question, and to whom."""

    NOTE = "note"
    """A TA to the other TAs; no student ever reads it."""
    REPLY = "reply"
    """A TA to the one student who asked."""
    QUESTION = "question"
    """The same, asking back."""
    STUDENT = "student"
    """The student, to what a TA asked back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionMessage:
    """A message in the thread of a waiting question; `author` is a TA's name, empty for the student."""

    kind: MessageKind
    author: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionContext:
    """How a question came up: its turn with the answer that the student saw, where, and the turns before."""

    turn: Turn
    position: Position
    before: tuple[Turn, ...]


class FaqState(StrEnum):
    """Whether an FAQ entry answers anybody."""

    LIVE = "live"
    DRAFT = "draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqDraft:
    """What an instructor writes: a question and its answer.

    `similar_questions` are further wordings; `negative_questions` look alike and are not answered by it.
    `category` is a word that instructors sort entries by, empty for none.
    """

    question: str
    answer: str
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()
    category: str = ""
    state: FaqState = FaqState.LIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqEntry:
    """One version of an FAQ entry; they count from 1 without gaps, and a removal is one as well."""

    id: FaqId
    course_id: CourseId
    version: int
    draft: FaqDraft
    editor: str
    edited_at: datetime
    removed: bool = False

    @property
    def answers(self) -> bool:
        """Whether students are answered with it."""
        return not self.removed and self.draft.state is FaqState.LIVE


class FaqOrder(StrEnum):
    """Which entries come first: by when they were made or last edited, how often asked, or by their words."""

    OLDEST = "oldest"
    NEWEST = "newest"
    MOST_ASKED = "asked"
    QUESTION = "question"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqQuery:
    """Entries that hold what is sought in question, answer or wordings, of a category, in a state.

    `removed` asks for the removed ones in the place of the others; an empty `category` for those without.
    """

    sought: str = ""
    removed: bool = False
    category: str | None = None
    state: FaqState | None = None
    order: FaqOrder = FaqOrder.OLDEST


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqChange:
    """What is done to several entries at once; None for what stays as it is."""

    category: str | None = None
    state: FaqState | None = None
    removed: bool | None = None


class FaqBatchKind(StrEnum):
    """How several entries came to be changed at once."""

    IMPORT = "import"
    CATEGORY = "category"
    LIVE = "live"
    DRAFT = "draft"
    REMOVE = "remove"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqBatch:
    """Entries that were added and changed together, which can be undone together, once.

    `detail` is the name of the imported file, or the category that was set.
    """

    id: str
    course_id: CourseId
    kind: FaqBatchKind
    detail: str
    editor: str
    made_at: datetime
    added: int
    changed: int
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqUndone:
    """How many entries are as they were before a batch, and those kept since they were edited after it."""

    batch: FaqBatch
    undone: int
    kept: tuple[FaqEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaAnswer:
    """What a real TA answered to a student's question, as the FAQ entry says it today, or that they will not.

    A rejected question has no `faq_id` and an empty `answer`; `reason` says why, where it was written for the
    student to read. An answer to this student alone has no `faq_id` either; `asks_back` says that it is a
    question. `seen` says whether the student was shown it.
    """

    turn_id: TurnId
    question: str
    state: QuestionState
    faq_id: FaqId | None
    answer: str
    answered_at: datetime
    seen: bool
    reason: str | None = None
    asks_back: bool = False


class Role(StrEnum):
    """What the bearer of a course's key may do."""

    PLATFORM = "platform"
    INSTRUCTOR = "instructor"


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseKey:
    """A key of a course without its secret, which is shown once and never kept."""

    id: KeyId
    course_id: CourseId
    role: Role
    created_at: datetime
    revoked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where the roads part: h > alpha is chit-chat, S > beta is answered directly.

    A complex question is answered directly only above beta * `complex_margin`. An FAQ pair answers directly
    by its relevance too, where that is above beta. From `relevance` on the best pair is taught, below it is
    offered as coming close; what is less `answerable` than `near` does not answer. `top_k` pairs are ranked.
    Small talk knows pairs from S = `floor` on, and a search engine is asked where its pairs could reach it.
    """

    alpha: float = 0.5
    beta: float = 0.94
    complex_margin: float = 1.2
    floor: float = 0.09
    top_k: int = 8
    relevance: float = 0.6
    near: float = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesFound:
    """What was found, before a language model writes. [n] in the pieces of its text means the n-th of them.

    The finished answer keeps those that it cites and counts them anew.
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
"""What `Assistant.stream` yields, in order; the last one is the whole `Answer`."""
