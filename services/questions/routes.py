"""The questions handed to a real TA: read, answer, join to an entry, reply, reject, reopen, assign, note."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import AliasPath, AwareDatetime, BeforeValidator, Field

from services.faq.rows import entry_of_pair
from services.people.course_keys import CourseInstructor, Name
from services.questions.inbox import PAGE_SIZE, InboxOrder, InboxQuery
from services.questions.triage import Band
from services.web.problems import problems
from services.web.schemas import (
    FaqOut,
    MergeIn,
    OfQuestions,
    QuestionList,
    QuestionOut,
    RejectIn,
    ReopenIn,
    ReplyModel,
    TaAnswerIn,
    plain_text,
)
from services.web.serving import Served, ThreadedRouter
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.answers import Route
from vta.types.courses import FaqId
from vta.types.inbox import LONGEST_MESSAGE, MessageKind, QuestionState, Ta, WaitingQuestion

MessageText = Annotated[str, plain_text(LONGEST_MESSAGE, least=1)]


class AssignIn(OfQuestions):
    """Who takes care of questions."""

    name: Annotated[str, plain_text(80)] = Field(description="A TA's name; empty for nobody.")


class NoteIn(OfQuestions):
    """A note for the other TAs."""

    text: MessageText


class ReplyIn(OfQuestions):
    """A reply to the askers of these questions alone; with `asks_back` a question to them."""

    text: MessageText
    asks_back: bool = False


class MessageOut(ReplyModel):
    """A message about a question; `author` is empty for the student."""

    kind: MessageKind
    author: str
    text: str
    created_at: datetime


class DraftOut(ReplyModel):
    """Verified text of the course that may answer; `faq_id` is the entry that it is, if any."""

    text: str = Field(validation_alias=AliasPath("pair", "answer"))
    document: str | None = Field(validation_alias=AliasPath("pair", "document"))
    faq_id: Annotated[str | None, BeforeValidator(entry_of_pair)] = Field(
        validation_alias=AliasPath("pair", "id")
    )


class GroupOut(ReplyModel):
    """Near-duplicates that wait, oldest first, and what the course has on the first of them."""

    band: Band
    closeness: float | None = Field(description="The best match score S; null while search is away.")
    questions: list[QuestionOut] = Field(validation_alias="waiting")
    draft: DraftOut | None


class GroupList(ReplyModel):
    """A page of the inbox; `counts` are the groups of each band on all pages, `waiting` all questions.

    `found` are the groups on all pages, `assignees` the TAs who take care of something.
    """

    groups: list[GroupOut]
    page: int = Field(validation_alias="number")
    last: int
    counts: dict[Band, int]
    waiting: int
    unassessed: int
    found: int
    assignees: list[str]


class PastTurnOut(ReplyModel):
    """A turn of the conversation."""

    question: str
    answer: str = Field(validation_alias=AliasPath("answer", "text"))
    route: Route = Field(validation_alias=AliasPath("answer", "route"))


class PositionOut(ReplyModel):
    """Where in the course it was asked, as far as that is known."""

    unit: str | None
    video: str | None
    second: float | None
    page: int | None
    heading: str | None


class QuestionReportOut(ReplyModel):
    """A question with the turns just before it, its own with the answer that was given, and its place."""

    question: QuestionOut
    conversation: list[PastTurnOut] = Field(description="Oldest first; the last is the question's own.")
    position: PositionOut = Field(validation_alias=AliasPath("context", "position"))
    messages: list[MessageOut]


_PROBLEMS = problems(
    {
        404: "No such question or entry.",
        409: "A question is settled, an entry asks the same question, or the course is archived.",
    }
)
MOST = 1_000_000
"""Far beyond any page."""
router = ThreadedRouter(prefix="/v1/courses/{course}/questions", tags=["questions"], responses=_PROBLEMS)
Search = Annotated[str, Query(max_length=200)]
Assignee = Annotated[str | None, Query(max_length=80, description="A TA's name; empty for nobody's.")]
Position = tuple[datetime, str]
"""The order of the questions: by time, then id."""


@router.get("")
def list_questions(
    platform: Served,
    who: CourseInstructor,
    *,
    state: Annotated[QuestionState | None, Query()] = None,
    search: Search = "",
    assignee: Assignee = None,
    since: Annotated[AwareDatetime | None, Query(description="Asked or settled then or later.")] = None,
    cursor: Annotated[str | None, Query(max_length=300, description="`next` of the page before.")] = None,
    offset: Annotated[int, Query(ge=0, le=MOST)] = 0,
    limit: Annotated[int | None, Query(ge=1, le=1000, description="All where it is left out.")] = None,
) -> QuestionList:
    """The questions in one state, or in all, oldest first.

    Pages by `cursor` hold every question once, also if others are settled between two of them.
    """
    after = None if cursor is None else read_cursor(cursor)
    of = None if assignee is None else Ta(name=assignee)
    found = platform.questions.found(who.course_id, state, sought=search, assignee=of, since=since)
    rest = found if after is None else found[bisect_right(found, after, key=position_of) :]
    shown = rest[offset:] if limit is None else rest[offset : offset + limit]
    ends = offset + len(shown) >= len(rest)
    return QuestionList(
        questions=[QuestionOut.of(each) for each in shown],
        total=len(found),
        next=None if ends or not shown else write_cursor(position_of(shown[-1])),
    )


@router.get("/groups")
def list_groups(
    platform: Served,
    who: CourseInstructor,
    *,
    search: Search = "",
    band: Annotated[Band | None, Query()] = None,
    assignee: Assignee = None,
    order: Annotated[InboxOrder, Query()] = InboxOrder.MOST_ASKED,
    page: Annotated[int, Query(ge=1, le=MOST)] = 1,
    size: Annotated[int, Query(ge=1, le=100)] = PAGE_SIZE,
) -> GroupList:
    """The waiting questions as the inbox shows them: near-duplicates together, in bands, with drafts."""
    of = None if assignee is None else Ta(name=assignee)
    query = InboxQuery(number=page, size=size, sought=search, band=band, assignee=of, order=order)
    course = platform.stores.courses.course(who.course_id)
    return GroupList.of(platform.questions.inbox(course, query))


@router.get("/{question}")
def read_question(question: Name, platform: Served, who: CourseInstructor) -> QuestionReportOut:
    """A question with its conversation, its place, the answer that the student saw, and the messages."""
    return QuestionReportOut.of(platform.questions.report(who.course_id, question))


@router.post("/assign", status_code=204)
def assign_questions(body: AssignIn, platform: Served, who: CourseInstructor) -> None:
    """Say who takes care of questions."""
    ta = Ta(name=" ".join(body.name.split()))
    platform.stores.ta_queue.assign(who.course_id, body.questions, ta)


@router.post("/note", status_code=204)
def note_questions(body: NoteIn, platform: Served, who: CourseInstructor) -> None:
    """Note something for the other TAs; no student reads it."""
    platform.stores.threads.note(who.course_id, body.questions, body.text, author=who.name)


@router.post("/reply", status_code=204)
def reply_to_questions(body: ReplyIn, platform: Served, who: CourseInstructor) -> None:
    """Answer the askers of these questions and nobody else, or ask them back; no entry comes of it."""
    threads, asks_back = platform.stores.threads, body.asks_back
    threads.reply(who.course_id, body.questions, body.text, author=who.name, asks_back=asks_back)


@router.post("/answer", status_code=201)
def answer_questions(body: TaAnswerIn, platform: Served, who: CourseInstructor) -> FaqOut:
    """Answer questions, and all that wait in the same words.

    The answer is live, and every one of their askers finds it in the sidebar.
    """
    entry = platform.questions.answer(who.course_id, body.questions, body.answer, editor=who.name)
    return FaqOut.of(entry)


@router.post("/merge", status_code=201)
def merge_questions(body: MergeIn, platform: Served, who: CourseInstructor) -> FaqOut:
    """Let questions join an entry, as wordings of it; every one of their askers gets its answer."""
    entry = platform.questions.answer(who.course_id, body.questions, FaqId(body.faq_id), editor=who.name)
    return FaqOut.of(entry)


@router.post("/reject", status_code=204)
def reject_questions(body: RejectIn, platform: Served, who: CourseInstructor) -> None:
    """Say that questions will not be answered; their askers read the reason in the sidebar."""
    platform.stores.ta_queue.reject(who.course_id, body.questions, reason=body.reason)


@router.post("/reopen", status_code=204)
def reopen_questions(body: ReopenIn, platform: Served, who: CourseInstructor) -> None:
    """Let answered or rejected questions wait again; an entry that answered them stays."""
    platform.stores.ta_queue.reopen(who.course_id, body.questions)


def position_of(question: WaitingQuestion) -> Position:
    return question.created_at, question.id


def write_cursor(position: Position) -> str:
    """The opaque cursor of the page after a position."""
    at, question = position
    text = f"{at.isoformat()} {question}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Position:
    """The position of a cursor; `InvalidInput` for any other text."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        time, _, question = text.partition(" ")
        at = datetime.fromisoformat(time)
    except (binascii.Error, ValueError):
        raise InvalidInput(Fault("waiting_question.cursor"), field="cursor") from None
    if at.tzinfo is None or not question:
        raise InvalidInput(Fault("waiting_question.cursor"), field="cursor")
    return at, question
