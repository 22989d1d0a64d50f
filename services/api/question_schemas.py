"""The JSON of the inbox: groups, a question with how it came up, and what is written about it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from pydantic import AliasPath, BaseModel, ConfigDict, Field, StringConstraints

from services.api.instructor_schemas import QuestionIds, QuestionOut
from services.api.replies import Reply
from services.storage.question_threads import LONGEST_MESSAGE
from services.use_cases.inbox import InboxPage, QuestionGroup
from services.use_cases.questions import QuestionReport
from services.use_cases.triage import Band
from vta.types import Candidate, FaqId, MessageKind, Route

MessageText = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_MESSAGE, pattern=r"^[^\x00]*$")
]


class AssignIn(BaseModel):
    """Who takes care of questions."""

    model_config = ConfigDict(extra="forbid")

    questions: QuestionIds
    name: Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00]*$")] = Field(
        description="A TA's name; empty for nobody."
    )


class NoteIn(BaseModel):
    """A note for the other TAs."""

    model_config = ConfigDict(extra="forbid")

    questions: QuestionIds
    text: MessageText


class ReplyIn(BaseModel):
    """A reply to the askers of these questions alone; with `asks_back` a question to them."""

    model_config = ConfigDict(extra="forbid")

    questions: QuestionIds
    text: MessageText
    asks_back: bool = False


class MessageOut(Reply):
    """A message about a question; `author` is empty for the student."""

    kind: MessageKind
    author: str
    text: str
    created_at: datetime


class DraftOut(BaseModel):
    """Verified text of the course that may answer; `faq_id` is the entry that it is, if any."""

    text: str
    document: str | None
    faq_id: str | None

    @classmethod
    def of(cls, draft: Candidate, entry: FaqId | None) -> Self:
        return cls(text=draft.pair.answer, document=draft.pair.document, faq_id=entry)


class GroupOut(BaseModel):
    """Near-duplicates that wait, oldest first, and what the course has on the first of them."""

    band: Band
    closeness: float | None = Field(description="The best match score S; null while search is away.")
    questions: list[QuestionOut]
    draft: DraftOut | None

    @classmethod
    def of(cls, group: QuestionGroup) -> Self:
        assessment = group.assessment
        draft = assessment.draft if assessment else None
        return cls(
            band=group.band,
            closeness=assessment.best if assessment else None,
            questions=[QuestionOut.of(each) for each in group.waiting],
            draft=DraftOut.of(draft, group.entry) if draft else None,
        )


class GroupList(BaseModel):
    """A page of the inbox; `counts` are the groups of each band on all pages, `waiting` all questions.

    `found` are the groups on all pages, `assignees` the TAs who take care of something.
    """

    groups: list[GroupOut]
    page: int
    last: int
    counts: dict[Band, int]
    waiting: int
    unassessed: int
    found: int
    assignees: list[str]

    @classmethod
    def of(cls, page: InboxPage) -> Self:
        return cls(
            groups=[GroupOut.of(each) for each in page.groups],
            page=page.number,
            last=page.last,
            counts={band: page.counts.get(band, 0) for band in Band},
            waiting=page.waiting,
            unassessed=page.unassessed,
            found=page.found,
            assignees=list(page.assignees),
        )


class PastTurnOut(Reply):
    """A turn of the conversation."""

    question: str
    answer: str = Field(validation_alias=AliasPath("answer", "text"))
    route: Route = Field(validation_alias=AliasPath("answer", "route"))


class PositionOut(Reply):
    """Where in the course it was asked, as far as that is known."""

    unit: str | None
    video: str | None
    second: float | None
    page: int | None
    heading: str | None


class QuestionReportOut(BaseModel):
    """A question with the turns just before it, its own with the answer that was given, and its place."""

    question: QuestionOut
    conversation: list[PastTurnOut] = Field(description="Oldest first; the last is the question's own.")
    position: PositionOut
    messages: list[MessageOut]

    @classmethod
    def of(cls, report: QuestionReport) -> Self:
        context = report.context
        return cls(
            question=QuestionOut.of(report.question),
            conversation=[PastTurnOut.of(turn) for turn in (*context.before, context.turn)],
            position=PositionOut.of(context.position),
            messages=[MessageOut.of(each) for each in report.messages],
        )
