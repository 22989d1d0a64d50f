"""A course as a model of OpenAI's API, so that any of its clients can ask it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from services.api.answering import Answering
from services.api.answers import answer_out
from services.api.completion_schemas import CompletionIn, CompletionOut, ModelList, ModelOut
from services.api.events import with_error_event
from services.http.callers import bearer_of
from services.http.problems import problems, unauthorized
from services.identity.authenticator import Authenticator, Principal
from services.identity.course_keys import Name, is_admin_key
from services.wiring import Platform
from vta.faults import Fault
from vta.types import Answer, CourseId, DialogueEvent, Started

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


def completion_routes(platform: Platform, answering: Answering, authenticator: Authenticator) -> APIRouter:
    """The router of the OpenAI-compatible API over one platform."""
    principal = Depends(authenticator.principals(ignores_foreign=True))
    router = APIRouter(prefix="/v1", tags=["openai"], responses=_PROBLEMS)
    courses = platform.stores.courses

    @router.post("/courses/{course}/chat/completions", response_model=None, responses=_COMPLETION)
    async def complete(
        course: Name, body: CompletionIn, request: Request, who: Principal = principal
    ) -> Response:
        """Ask the last message; earlier ones give it its context."""
        question = await answering.admit(request, who, body.to_question(course))
        if not body.stream:
            completion = await answering.answer(request, question, partial(_completion, body))
            return Response(status_code=CLIENT_LEFT) if completion is None else JSONResponse(completion)
        events = answering.stream(request, question)
        first = await anext(events)
        return answering.send(_chunks(body, course, first, events))

    @router.get("/courses/{course}/models")
    async def list_models(course: Name) -> ModelList:
        """The one model of a course: the course itself, whatever name a client gives it."""
        found = await asyncio.to_thread(courses.course, CourseId(course))
        return ModelList(data=[ModelOut(id=found.id)])

    @router.get("/models")
    async def list_all_models(request: Request) -> ModelList:
        """The courses that a key opens: its own, or all of them with the admin key."""
        text = bearer_of(request.headers)
        if is_admin_key(platform.settings.admin_key, text):
            return ModelList(data=[ModelOut(id=each.id) for each in await asyncio.to_thread(courses.courses)])
        key = await asyncio.to_thread(platform.stores.keys.check, text)
        if key is None:
            raise unauthorized(Fault("key.course_needed"))
        return ModelList(data=[ModelOut(id=key.course_id)])

    return router


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
