"""Questions that wait for a teaching assistant, and what students think of answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from vta.types.answers import Turn
from vta.types.courses import CourseId, FaqId, TurnId
from vta.types.questions import Position

LONGEST_MESSAGE = 4000
"""Characters between a real TA and the asker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Thumbs of a student for one turn; `rating` is up or down."""

    turn_id: TurnId
    rating: str
    reason: str | None = None
    comment: str | None = None


class QuestionState(StrEnum):
    """The state of a question for a real TA."""

    WAITING = "waiting"
    ANSWERED = "answered"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingQuestion:
    """A question handed to a real TA, waiting or settled.

    `faq_id` is the entry that answered it; `reason` says why it was rejected; `resolved_at` is when it was
    settled. `assignee` is the TA who takes care of it, `assignee_id` their account where they have one.
    `standalone_question` is what a follow-up asks by itself, None where the question's own words say it.
    `group_id` names the group that a TA put it into, None where its words decide.
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
    assignee_id: str | None = None
    standalone_question: str | None = None
    group_id: str | None = None

    @property
    def asks(self) -> str:
        """The question in words that need no conversation before them."""
        return self.standalone_question or self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class Ta:
    """A TA by name, with the id of their account where they have one."""

    name: str
    id: str | None = None

    @property
    def key(self) -> str:
        """Their value in a form."""
        return self.id or self.name

    def is_same(self, other: Ta) -> bool:
        """Whether both are one TA; a name alone is every TA of that name."""
        return self.id == other.id if self.id and other.id else self.name == other.name

    def has(self, question: WaitingQuestion) -> bool:
        """Whether the question is assigned to them."""
        return self.is_same(Ta(name=question.assignee or "", id=question.assignee_id))


NOBODY = Ta(name="")
"""The assignee of questions without one."""


class MessageKind(StrEnum):
    """The writer and the reader of a message in the thread of a waiting question."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TaAnswer:
    """The answer of a real TA to a student's question, as its FAQ entry reads today, or their refusal.

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
