"""The JSON that comes in, checked here and nowhere else, and the shapes of the JSON that goes out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from services.graph.schemas import LocatorOut
from services.web.schemas import Identifier, RequestModel, ShortText, plain_text
from vta.dialogue.question import LONGEST_QUESTION
from vta.types.answers import Offer, Route, TraceStep
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.inbox import LONGEST_MESSAGE, Feedback
from vta.types.pairs import Degradation, RankingSummary, Source
from vta.types.questions import IntentPrediction, Mode, Position, Question


class PositionIn(RequestModel):
    """Where in the course the student is: a unit (its file), a second of a video, a page, a heading."""

    unit: ShortText | None = None
    video: ShortText | None = None
    second: float | None = Field(default=None, ge=0, le=1_000_000, allow_inf_nan=False)
    page: int | None = Field(default=None, ge=1, le=1_000_000, description="Counts from 1.")
    heading: ShortText | None = None


class DialogueIn(RequestModel, json_schema_extra={"examples": [{"question": "什么是栈？", "stream": False}]}):
    """One question of a student."""

    question: Annotated[
        str,
        StringConstraints(min_length=1, max_length=LONGEST_QUESTION, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$"),
    ]
    session_id: Identifier | None = None
    learner_id: Identifier | None = None
    position: PositionIn | None = None
    mode: Mode = Mode.ANSWER
    stream: bool = False

    def to_question(self, course: str) -> Question:
        position = None if self.position is None else Position(**self.position.model_dump())
        return Question(
            course_id=CourseId(course),
            text=self.question,
            session_id=SessionId(self.session_id) if self.session_id else None,
            learner_id=self.learner_id,
            position=position,
            mode=self.mode,
        )


class FeedbackIn(RequestModel):
    """Thumbs up or down for a turn."""

    rating: Literal["up", "down"]
    reason: ShortText | None = None
    comment: Annotated[str, plain_text(2000)] | None = None

    def to_feedback(self, turn: str) -> Feedback:
        return Feedback(turn_id=TurnId(turn), rating=self.rating, reason=self.reason, comment=self.comment)


class CitationOut(BaseModel):
    """A numbered source of an answer; `passage` is as the course has it, `passage_html` safe HTML of it.

    `quoted` says that the answer, which no language model wrote, shows an excerpt of it that ends in [n].
    """

    n: int
    pair_id: str
    source: Source
    title: str
    passage: str
    passage_html: str
    document: str | None
    url: str | None
    locator: LocatorOut
    quoted: bool
    marked: str = Field(
        description="The sentence of the excerpt that answers, in one line, with code between backticks and "
        "formulas between dollar signs; empty where none stands out.",
    )


class PrerequisiteOut(BaseModel):
    """A concept to know first, and where it is taught: in words of the course's language, and as a place.

    `document` and `locator` are there only where the place is known.
    """

    name: str
    definition: str
    where: str | None
    document: str = ""
    locator: LocatorOut = Field(default_factory=LocatorOut)


class ConceptOut(BaseModel):
    """A concept of the question."""

    name: str
    definition: str
    domains: list[str]
    prerequisites: list[PrerequisiteOut]


class AnswerOut(BaseModel):
    """The reply to one question; `text` is Markdown, `html` the same, sanitised."""

    turn_id: str
    session_id: str
    course_id: str
    route: Route
    text: str
    html: str
    citations: list[CitationOut]
    concepts: list[ConceptOut]
    intent: IntentPrediction
    ranking: RankingSummary | None
    standalone_question: str
    degraded: Degradation | None
    actions: list[str]
    offers: list[Offer] = Field(description="At most 4.")
    exercise: str | None = Field(description="What the next turn in practice mode is an attempt at.")
    trace: list[TraceStep]


class TurnOut(BaseModel):
    """One turn of a session; `number` counts from 1. `rating` is the thumb that counts.

    `ta_question` says what became of the question where it was handed to a real TA.
    """

    number: int
    question: str
    answer: AnswerOut
    created_at: str
    rating: Literal["up", "down"] | None
    ta_question: Literal["waiting", "answered", "rejected"] | None


class SessionOut(BaseModel):
    """A session's turns in order."""

    session_id: str
    turns: list[TurnOut]


class ConversationOut(BaseModel):
    """A session in the list of a learner's conversations."""

    session_id: str
    title: str = Field(description="Its first question.")
    asked_at: datetime
    ta_turns: list[str] = Field(
        default=[], description="Turns that wait for a real TA, or whose answer was not seen yet."
    )


class ConversationsOut(BaseModel):
    """A learner's conversations, the latest first; none for someone who is not signed in."""

    sessions: list[ConversationOut]


class WaitingOut(BaseModel):
    """A question handed to a real TA."""

    question_id: str
    state: Literal["waiting", "answered", "rejected"]


class OfficeHourOut(BaseModel):
    """The next office hour that the facts of the course hold."""

    begins: datetime
    place: str


class AskedTaOut(WaitingOut):
    """The same; `usual_wait_s` is the median time to an answer in the course lately, null of too few."""

    usual_wait_s: float | None
    office_hour: OfficeHourOut | None


class TaAnswerOut(BaseModel):
    """A real TA's reply to a question; `text` is Markdown, `html` the same, sanitised.

    Of a rejected question `text` is the reason in plain words, or empty where there is none to read.
    """

    turn_id: str
    question: str
    state: Literal["answered", "rejected"]
    reason: str | None
    text: str
    html: str
    answered_at: str
    seen: bool
    private: bool = Field(description="Whether it was written to this student alone.")
    asks_back: bool = Field(
        description="Whether it is a question to the student: `ta-reply` takes the reply."
    )


class TaReplyIn(RequestModel):
    """A student's reply to a real TA's question."""

    text: Annotated[str, plain_text(LONGEST_MESSAGE, least=1)]


class TaAnswersOut(BaseModel):
    """The replies of real TAs to the settled questions of a session, oldest first."""

    answers: list[TaAnswerOut]


class ReadyOut(BaseModel):
    """Questions can be answered; each part is ok or says what it lacks."""

    status: Literal["ok"]
    parts: dict[str, str]
