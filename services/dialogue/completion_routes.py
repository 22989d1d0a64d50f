"""A course as a model of OpenAI's API, so that any of its clients can ask it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.dialogue.answering import AnsweringHere
from services.dialogue.answers import answer_out, with_error_event
from services.dialogue.schemas import AnswerOut, CitationOut
from services.people.authenticator import Authenticating, Bearer, Principal, principals
from services.people.course_keys import Name, is_admin_key
from services.web.callers import bearer_of
from services.web.fair_threads import work_for
from services.web.problems import problems, unauthorized
from services.web.schemas import Identifier, plain_text
from services.web.serving import Served, ThreadedRouter
from vta.dialogue.question import LONGEST_QUESTION
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.tokens import estimate_tokens
from vta.types.answers import Answer, DialogueEvent, Started
from vta.types.courses import CourseId, SessionId
from vta.types.questions import Exchange, Mode, Question

MOST_MESSAGES = 1000
LONGEST_MESSAGE = 100_000
"""Characters of one message."""

_Text = Annotated[str, plain_text(LONGEST_MESSAGE)]


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
    """Options of a stream."""

    include_usage: bool | None = None


class CompletionIn(BaseModel):
    """The request of an OpenAI client. Fields on sampling and tools are ignored.

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
    session_id: Identifier | None = Field(default=None, description="Ours: a session to continue.")
    mode: Mode = Field(default=Mode.ANSWER, description="Ours: practice goes on in its session.")

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


class NamedCompletionIn(CompletionIn):
    """A request whose `model` names the course."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\w.:@-]+$")]


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


DONE = "[DONE]"
CLIENT_LEFT = 499
_PIECES = re.compile(r"\S+\s*|\s+")
_PROBLEMS = problems(
    {
        401: "A key that is not known.",
        403: "A key of another course.",
        404: "No such course or session.",
        409: "The first request with this Idempotency-Key is still at work, or the course is archived.",
        429: "Too many questions; Retry-After says when to come back.",
        503: "The course cannot be answered from right now.",
    }
)
_COMPLETION: dict[int | str, dict[str, object]] = {
    200: {
        "model": CompletionOut,
        "description": "A chat completion; with `stream`, its chunks as server-sent events up to [DONE]. "
        "Chunks begin once the answer is checked, since what a client has shown cannot be taken back.",
        "content": {"text/event-stream": {}},
    }
}


router = ThreadedRouter(prefix="/v1", tags=["openai"], responses=_PROBLEMS)


@router.post("/courses/{course}/chat/completions", response_model=None, responses=_COMPLETION)
async def complete(
    course: Name,
    body: CompletionIn,
    request: Request,
    answering: AnsweringHere,
    who: Annotated[Principal, Depends(principals(ignores_foreign=True))],
) -> Response:
    """Ask the last message; earlier ones give it its context."""
    return await _complete(course, body, request, answering, who)


@router.post("/chat/completions", response_model=None, responses=_COMPLETION)
async def complete_by_model(
    body: NamedCompletionIn,
    request: Request,
    answering: AnsweringHere,
    bearer: Bearer,
    authenticator: Authenticating,
) -> Response:
    """As above, of the course that `model` names, so that one address serves all courses."""
    request.path_params["course"] = body.model  # for the log of requests
    work_for(body.model)
    who = await authenticator.identify(CourseId(body.model), bearer, request, ignores_foreign=True)
    return await _complete(body.model, body, request, answering, who)


async def _complete(
    course: str, body: CompletionIn, request: Request, answering: AnsweringHere, who: Principal
) -> Response:
    question = await answering.admit(request, who, body.to_question(course))
    if not body.stream:
        completion = await answering.answer(request, question, partial(_completion, body))
        return Response(status_code=CLIENT_LEFT) if completion is None else JSONResponse(completion)
    events = answering.stream(request, question)
    first = await anext(events)
    return answering.send(_chunks(body, course, first, events))


@router.get("/courses/{course}/models")
def list_models(course: Name, platform: Served) -> ModelList:
    """The one model of a course: the course itself, whatever name a client gives it."""
    found = platform.stores.courses.course(CourseId(course))
    return ModelList(data=[ModelOut(id=found.id)])


@router.get("/models")
def list_all_models(request: Request, platform: Served) -> ModelList:
    """The courses that a key opens: its own, or all of them with the admin key."""
    text = bearer_of(request.headers)
    if is_admin_key(platform.settings, text):
        return ModelList(data=[ModelOut(id=each.id) for each in platform.stores.courses.courses()])
    key = platform.stores.keys.check(text)
    if key is None:
        raise unauthorized(Fault("key.course_needed"))
    return ModelList(data=[ModelOut(id=key.course_id)])


def _completion(asked: CompletionIn, answer: Answer) -> dict[str, object]:
    body = answer_out(answer)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": answer.text},
        "finish_reason": "stop",
    }
    return {
        **_head(f"{answer.turn_id}", str(answer.course_id), "chat.completion"),
        "choices": [choice],
        "usage": asked.usage(answer.text),
        "citations": body["citations"],
        "vta": body,
    }


async def _chunks(
    asked: CompletionIn, course: str, first: DialogueEvent, rest: AsyncGenerator[DialogueEvent, None]
) -> AsyncGenerator[dict[str, str], None]:
    """The role at once, the checked answer word by word, its citations with the last chunk, then [DONE]."""
    async with aclosing(with_error_event(first, rest)) as events:
        async for event in events:
            match event:
                case Started():
                    yield _chunk(event.turn_id, course, {"role": "assistant", "content": ""})
                case Answer():
                    for piece in _PIECES.findall(event.text):
                        yield _chunk(event.turn_id, course, {"content": piece})
                    body = answer_out(event)
                    extra = {"citations": body["citations"], "vta": body}
                    yield _chunk(event.turn_id, course, {}, finish="stop", extra=extra)
                    if asked.stream_options is not None and asked.stream_options.include_usage:
                        head = _head(event.turn_id, course, "chat.completion.chunk")
                        yield _data({**head, "choices": [], "usage": asked.usage(event.text)})
                    yield {"data": DONE}
                case dict():
                    yield _data({"error": {**event, "message": event["detail"]}})
                case _:
                    pass


def _chunk(
    turn: str,
    course: str,
    delta: object,
    *,
    finish: str | None = None,
    extra: dict[str, object] | None = None,
) -> dict[str, str]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({**_head(turn, course, "chat.completion.chunk"), "choices": [choice], **(extra or {})})


def _head(turn: str, course: str, kind: str) -> dict[str, object]:
    return {"id": turn, "object": kind, "created": int(time.time()), "model": course}


def _data(body: object) -> dict[str, str]:
    return {"data": json.dumps(body, ensure_ascii=False)}
