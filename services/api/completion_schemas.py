"""The JSON of OpenAI's chat completions, as far as a course needs it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.api.dialogue_schemas import AnswerOut, CitationOut, Identifier
from vta.dialogue.question import LONGEST_QUESTION
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.tokens import estimate_tokens
from vta.types import CourseId, Exchange, Mode, Question, SessionId

MOST_MESSAGES = 1000
LONGEST_MESSAGE = 100_000
"""Characters of one message."""

_Text = Annotated[str, StringConstraints(max_length=LONGEST_MESSAGE, pattern=r"^[^\x00]*$")]


class PartIn(BaseModel):
    """A part of a message; those that are no text are not read."""

    type: str
    text: _Text = ""


class MessageIn(BaseModel):
    """A message of the dialogue so far."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: _Text | list[PartIn] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptionsIn(BaseModel):
    """What a client wants of a stream."""

    include_usage: bool | None = None


class CompletionIn(BaseModel):
    """What an OpenAI client sends. What says how a model should sample, or which tools it has, is ignored.

    The last message is the question of the student. The earlier questions and answers give it its context,
    unless `session_id` names a session, whose turns are stored. Messages of other roles are ignored: what the
    assistant may do is the course's to say.
    """

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "examples": [{"model": "course", "messages": [{"role": "user", "content": "What is a stack?"}]}]
        },
    )

    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=MOST_MESSAGES)]
    stream: bool | None = None
    stream_options: StreamOptionsIn | None = None
    n: Literal[1] | None = None
    user: Identifier | None = Field(default=None, description="The learner; a pseudonym.")
    session_id: Identifier | None = Field(default=None, description="Ours: a session to go on with.")
    mode: Mode = Field(default=Mode.ANSWER, description="Ours: an answer or a hint.")

    def usage(self, answer: str) -> dict[str, int]:
        """As `UsageOut`."""
        asked = sum(estimate_tokens(message.text) for message in self.messages)
        said = estimate_tokens(answer)
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}

    def to_question(self, course: str) -> Question:
        """The question with what was said before it; `InvalidInput` where there is none."""
        last = self.messages[-1]
        if last.role != "user" or not last.text.strip():
            raise InvalidInput(Fault("api.last_message"), field="messages")
        if len(last.text) > LONGEST_QUESTION:
            raise InvalidInput(
                Fault("question.too_long", length=len(last.text), most=LONGEST_QUESTION), field="messages"
            )
        return Question(
            course_id=CourseId(course),
            text=last.text,
            session_id=SessionId(self.session_id) if self.session_id else None,
            learner_id=self.user,
            mode=self.mode,
            earlier=() if self.session_id else exchanges(self.messages[:-1]),
        )


def exchanges(messages: list[MessageIn]) -> tuple[Exchange, ...]:
    """Each question of the user with the answers up to the next one; an answer to nothing is left out."""
    found: list[Exchange] = []
    for message in messages:
        text = message.text.strip()
        if message.role == "user" and text:
            found.append(Exchange(question=text[:LONGEST_QUESTION], answer=""))
        elif message.role == "assistant" and text and found:
            last = found[-1]
            found[-1] = Exchange(question=last.question, answer=f"{last.answer}\n{text}".strip())
    return tuple(found)


class SaidOut(BaseModel):
    """The message of an answer."""

    role: Literal["assistant"] = "assistant"
    content: str


class ChoiceOut(BaseModel):
    """The one answer."""

    index: Literal[0] = 0
    message: SaidOut
    finish_reason: Literal["stop"] = "stop"


class UsageOut(BaseModel):
    """Tokens of the messages and of the answer, by the platform's estimate: no language model's bill."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionOut(BaseModel):
    """A chat completion; `citations` and `vta`, the whole answer of the dialogue API, are ours."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChoiceOut]
    usage: UsageOut
    citations: list[CitationOut]
    vta: AnswerOut


class ModelOut(BaseModel):
    """A course, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "vta"


class ModelList(BaseModel):
    """The courses that one may ask, as models."""

    object: Literal["list"] = "list"
    data: list[ModelOut]
