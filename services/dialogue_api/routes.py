"""The routes of students: ask, read back, give thumbs, ask a real TA, be forgotten, see the graph."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse

from concept_graph.concept_file import write_concepts
from services.dialogue_api.answers import answer_out, ta_answer_out, turn_out
from services.dialogue_api.events import as_server_sent
from services.dialogue_api.schemas import (
    AnswerOut,
    DialogueIn,
    FeedbackIn,
    GraphOut,
    SessionOut,
    TaAnswersOut,
    WaitingOut,
)
from services.http.access import Name
from services.http.learner import LearnerAccess
from services.http.leaving import while_connected
from services.http.problems import Problem
from services.wiring import Platform
from vta.types import CourseId, SessionId, TurnId

HEARTBEAT_S = 10
CLIENT_LEFT = 499
"""For the access log alone: nobody is there to read it."""

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
    401: {"model": Problem, "description": "The learner's token has expired."},
    403: {"model": Problem, "description": "Not from a page of ours, or in another learner's name."},
    404: {"model": Problem, "description": "No such course, session or turn."},
    422: {"model": Problem, "description": "The request cannot be used as it is."},
    413: {"model": Problem, "description": "The body is larger than this server reads."},
    503: {"model": Problem, "description": "The course cannot be answered from right now."},
}


def dialogue_routes(platform: Platform) -> APIRouter:
    """The router of the dialogue API over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}", tags=["dialogue"], responses=_PROBLEMS)
    sessions, queue = platform.stores.sessions, platform.stores.ta_queue
    learners = LearnerAccess(platform.stores.learners)
    own_session, own_turn = [Depends(learners.check_session)], [Depends(learners.check_turn)]

    @router.post("/dialogue", response_model=None, responses=_ANSWER)
    async def ask(course: Name, body: DialogueIn, request: Request) -> Response:
        """Ask one question. With `stream` the answer comes as server-sent events, else as one JSON object."""
        question = await learners.identify(body.to_question(course), request)
        if not body.stream:
            answer = await while_connected(request, platform.assistant.answer(question))
            return Response(status_code=CLIENT_LEFT) if answer is None else JSONResponse(answer_out(answer))
        events = platform.assistant.stream(question)
        first = await anext(events)
        return EventSourceResponse(as_server_sent(first, events), ping=HEARTBEAT_S)

    @router.get(
        "/sessions/{session}",
        response_model=None,
        responses={200: {"model": SessionOut}},
        dependencies=own_session,
    )
    async def read_session(course: Name, session: Name) -> Response:
        """The turns of a session in order."""
        turns = await asyncio.to_thread(sessions.turns, CourseId(course), SessionId(session))
        return JSONResponse({"session_id": session, "turns": [turn_out(turn) for turn in turns]})

    @router.get("/sessions/{session}/ta-answers", response_model=TaAnswersOut, dependencies=own_session)
    async def read_ta_answers(course: Name, session: Name) -> Response:
        """What real TAs answered to questions of this session."""
        found = await asyncio.to_thread(queue.answers, CourseId(course), SessionId(session))
        return JSONResponse({"answers": [ta_answer_out(answer) for answer in found]})

    @router.post("/sessions/{session}/ta-answers/seen", status_code=204, dependencies=own_session)
    async def mark_ta_answers_seen(course: Name, session: Name) -> None:
        """The student has seen them."""
        await asyncio.to_thread(queue.mark_seen, CourseId(course), SessionId(session))

    @router.delete("/sessions/{session}", status_code=204, dependencies=own_session)
    async def delete_session(course: Name, session: Name) -> None:
        """Forget a session."""
        await asyncio.to_thread(sessions.delete, CourseId(course), SessionId(session))

    @router.delete("/learners/{learner}", status_code=204)
    async def erase_learner(course: Name, learner: Name) -> None:
        """Forget everything a learner asked in this course."""
        await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        await asyncio.to_thread(sessions.erase_learner, CourseId(course), learner)

    @router.post("/turns/{turn}/feedback", status_code=204, dependencies=own_turn)
    async def give_feedback(course: Name, turn: Name, body: FeedbackIn) -> None:
        """Thumbs for an answer; the last ones count."""
        await asyncio.to_thread(sessions.feedback, CourseId(course), body.to_feedback(turn))

    @router.post("/turns/{turn}/ask-ta", status_code=201, dependencies=own_turn)
    async def ask_ta(course: Name, turn: Name) -> WaitingOut:
        """Hand the question to a real TA; asking twice gives the same entry."""
        waiting = await asyncio.to_thread(sessions.ask_ta, CourseId(course), TurnId(turn))
        return WaitingOut.model_validate({"question_id": waiting.id, "state": waiting.state})

    @router.get("/graph", response_model=None, responses={200: {"model": GraphOut}}, tags=["graph"])
    async def read_graph(course: Name) -> Response:
        """The concepts of the course and what comes before which, edits of its teachers included."""
        found = await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        graph = (await asyncio.to_thread(platform.knowledge.current)).graph
        written = await asyncio.to_thread(write_concepts, graph.concepts(found.id), graph.edges(found.id))
        return Response(written, media_type="application/json")

    return router
