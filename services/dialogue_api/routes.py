"""The routes of students: ask, read back, give thumbs, ask a real TA, be forgotten."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse

from services.dialogue_api.answers import answer_out, turn_out
from services.dialogue_api.events import as_server_sent
from services.dialogue_api.schemas import AnswerOut, DialogueIn, FeedbackIn, SessionOut, WaitingOut
from services.http.leaving import while_connected
from services.http.problems import Problem
from services.wiring import Platform
from vta.types import CourseId, SessionId, TurnId

HEARTBEAT_S = 10
CLIENT_LEFT = 499
"""For the access log alone: nobody is there to read it."""

_Name = Annotated[str, Path(min_length=1, max_length=128, pattern=r"^[\w.:@-]+$")]
_ANSWER: dict[int | str, dict[str, object]] = {
    200: {
        "model": AnswerOut,
        "description": "The answer; with `stream`, the typed events of its making: start, trace, delta, "
        "citations, concepts, then done with the whole answer, or error with a problem.",
        "content": {"text/event-stream": {}},
    }
}
_PROBLEMS: dict[int | str, dict[str, object]] = {
    400: {"model": Problem, "description": "The body is no JSON at all."},
    404: {"model": Problem, "description": "No such course, session or turn."},
    422: {"model": Problem, "description": "The request cannot be used as it is."},
    413: {"model": Problem, "description": "The body is larger than this server reads."},
    503: {"model": Problem, "description": "The course cannot be answered from right now."},
}


def dialogue_routes(platform: Platform) -> APIRouter:
    """The router of the dialogue API over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}", tags=["dialogue"], responses=_PROBLEMS)
    sessions = platform.stores.sessions

    @router.post("/dialogue", response_model=None, responses=_ANSWER)
    async def ask(course: _Name, body: DialogueIn, request: Request) -> Response:
        """Ask one question. With `stream` the answer comes as server-sent events, else as one JSON object."""
        question = body.to_question(course)
        if not body.stream:
            answer = await while_connected(request, platform.assistant.answer(question))
            return Response(status_code=CLIENT_LEFT) if answer is None else JSONResponse(answer_out(answer))
        events = platform.assistant.stream(question)
        first = await anext(events)
        return EventSourceResponse(as_server_sent(first, events), ping=HEARTBEAT_S)

    @router.get("/sessions/{session}", response_model=None, responses={200: {"model": SessionOut}})
    async def read_session(course: _Name, session: _Name) -> Response:
        """The turns of a session in order."""
        turns = await asyncio.to_thread(sessions.turns, CourseId(course), SessionId(session))
        return JSONResponse({"session_id": session, "turns": [turn_out(turn) for turn in turns]})

    @router.delete("/sessions/{session}", status_code=204)
    async def delete_session(course: _Name, session: _Name) -> None:
        """Forget a session."""
        await asyncio.to_thread(sessions.delete, CourseId(course), SessionId(session))

    @router.delete("/learners/{learner}", status_code=204)
    async def erase_learner(course: _Name, learner: _Name) -> None:
        """Forget everything a learner asked in this course."""
        await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        await asyncio.to_thread(sessions.erase_learner, CourseId(course), learner)

    @router.post("/turns/{turn}/feedback", status_code=204)
    async def give_feedback(course: _Name, turn: _Name, body: FeedbackIn) -> None:
        """Thumbs for an answer; the last ones count."""
        await asyncio.to_thread(sessions.feedback, CourseId(course), body.to_feedback(turn))

    @router.post("/turns/{turn}/ask-ta", status_code=201)
    async def ask_ta(course: _Name, turn: _Name) -> WaitingOut:
        """Hand the question to a real TA; asking twice gives the same entry."""
        waiting = await asyncio.to_thread(sessions.ask_ta, CourseId(course), TurnId(turn))
        return WaitingOut.model_validate({"question_id": waiting.id, "state": waiting.state})

    return router
