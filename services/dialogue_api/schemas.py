"""The JSON that comes in: the only place where requests are checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from vta.dialogue.assistant import LONGEST_QUESTION
from vta.types import CourseId, Feedback, Mode, Position, Question, SessionId, TurnId

ShortText = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\w.:@-]+$")]


class PositionIn(BaseModel):
    """Where in the course the student is."""

    model_config = ConfigDict(extra="forbid")

    unit: ShortText | None = None
    video: ShortText | None = None
    second: float | None = Field(default=None, ge=0, le=1_000_000, allow_inf_nan=False)


class DialogueIn(BaseModel):
    """One question of a student."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"question": "什么是栈？", "stream": False}]}
    )

    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION, pattern=r"\S")]
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


class FeedbackIn(BaseModel):
    """Thumbs up or down for a turn."""

    model_config = ConfigDict(extra="forbid")

    rating: Literal["up", "down"]
    reason: ShortText | None = None
    comment: Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")] | None = None

    def to_feedback(self, turn: str) -> Feedback:
        return Feedback(turn_id=TurnId(turn), rating=self.rating, reason=self.reason, comment=self.comment)
