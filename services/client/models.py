"""What the API replies with. Fields that a newer server adds are passed over."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """A part of a reply."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Locator(Model):
    """Where a passage stands; only what is known differs from these defaults."""

    heading_path: tuple[str, ...] = ()
    page: int = 0
    video: str = ""
    start_s: float = 0.0
    end_s: float = 0.0


class Citation(Model):
    """A numbered source of an answer; `marked` is the sentence that answers in what is `quoted` of it."""

    n: int
    pair_id: str
    source: str
    title: str
    passage: str
    document: str | None
    url: str | None
    locator: Locator
    quoted: bool = False
    marked: str = ""


class Offer(Model):
    """A question to go on with, and the words on its button."""

    label: str
    question: str


class Degraded(Model):
    """A stage that could not do its best, and why."""

    stage: str
    reason: str


class TraceStep(Model):
    """What a stage decided, and its milliseconds."""

    stage: str
    decision: str
    ms: float


class Answer(Model):
    """The reply to one question; `text` is Markdown, `html` the same, safe."""

    turn_id: str
    session_id: str
    course_id: str
    route: str
    text: str
    html: str
    citations: tuple[Citation, ...]
    offers: tuple[Offer, ...]
    degraded: Degraded | None
    standalone_question: str
    trace: tuple[TraceStep, ...]


class Event(Model):
    """An event of a stream: `data` as JSON has it, and the `answer` with `done`."""

    name: str
    data: Any
    answer: Answer | None = None


class Turn(Model):
    """One turn of a session."""

    number: int
    question: str
    answer: Answer
    created_at: datetime
    rating: str | None
    ta_question: str | None


class Session(Model):
    """A session's turns in order."""

    session_id: str
    turns: tuple[Turn, ...]


class Handed(Model):
    """A question handed to a real TA."""

    question_id: str
    state: str


class TaAnswer(Model):
    """What a real TA said to a question."""

    turn_id: str
    question: str
    state: str
    reason: str | None
    text: str
    html: str
    answered_at: datetime
    seen: bool
    private: bool
    asks_back: bool


class TaAnswers(Model):
    """Those of a session, oldest first."""

    answers: tuple[TaAnswer, ...]


class Question(Model):
    """A question for the TA, as instructors see it."""

    id: str
    turn_id: str
    question: str
    state: str
    created_at: datetime
    faq_id: str | None
    reason: str | None
    resolved_at: datetime | None
    assignee: str | None
    standalone_question: str | None


class Questions(Model):
    """A page of questions."""

    questions: tuple[Question, ...]
    total: int
    next: str | None


class Draft(Model):
    """Verified text of the course that may answer."""

    text: str
    document: str | None
    faq_id: str | None


class Group(Model):
    """Near-duplicates that wait, oldest first."""

    band: str
    closeness: float | None
    questions: tuple[Question, ...]
    draft: Draft | None


class Groups(Model):
    """A page of the inbox."""

    groups: tuple[Group, ...]
    page: int
    last: int
    counts: dict[str, int]
    waiting: int
    unassessed: int
    found: int
    assignees: tuple[str, ...]


class Message(Model):
    """A message about a question; `author` is empty for the student."""

    kind: str
    author: str
    text: str
    created_at: datetime


class PastTurn(Model):
    """A turn before a question, or its own."""

    question: str
    answer: str
    route: str


class QuestionReport(Model):
    """A question with how it came up and what was written about it."""

    question: Question
    conversation: tuple[PastTurn, ...]
    messages: tuple[Message, ...]


class FaqEntry(Model):
    """One version of an FAQ entry."""

    id: str
    version: int
    question: str
    answer: str
    similar_questions: tuple[str, ...]
    negative_questions: tuple[str, ...]
    category: str
    state: str
    editor: str
    edited_at: datetime
    removed: bool


class FaqEntries(Model):
    """A page of entries; `total` counts all that match."""

    total: int
    entries: tuple[FaqEntry, ...]


class FaqVersions(Model):
    """All versions of an entry, oldest first."""

    versions: tuple[FaqEntry, ...]


class Document(Model):
    """A document of a course."""

    path: str
    folder: str
    kind: str
    pairs: int
    concepts: int
    read_at: datetime | None


class Documents(Model):
    """A page of documents; `total` counts all that match."""

    total: int
    documents: tuple[Document, ...]


class Rejection(Model):
    """A file, or a part of one, that was left out, and why."""

    path: str
    line: int | None
    reason: str


class IngestReport(Model):
    """What an ingest did."""

    added: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]
    rejected: tuple[Rejection, ...]
    pairs: int
    seconds: float


class Ingest(Model):
    """How far an ingest is."""

    id: str
    state: str
    done: int
    total: int
    fault: str | None
    report: IngestReport | None

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed")


class Course(Model):
    """A course."""

    id: str
    name: str
    domains: tuple[str, ...]
    language: str
    archived: bool = False


class Courses(Model):
    """Courses by id."""

    courses: tuple[Course, ...]


class NewKey(Model):
    """A new key; its text is shown this once."""

    id: str
    key: str = Field(repr=False)
