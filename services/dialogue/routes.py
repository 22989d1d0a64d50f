"""The routes of students: ask, read back, give thumbs, ask a real TA, see the graph."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import Depends, Request, Response
from fastapi.responses import JSONResponse

from concept_graph.concept_file import write_concepts
from services.dialogue.answering import AnsweringHere
from services.dialogue.answers import as_server_sent, ta_answer_out, turn_out, write_answer
from services.dialogue.rows import NO_REACTION
from services.dialogue.schemas import (
    AnswerOut,
    AskedTaOut,
    ConversationsOut,
    DialogueIn,
    FeedbackIn,
    SessionOut,
    TaAnswersOut,
    TaReplyIn,
    WaitingOut,
)
from services.graph.schemas import GraphOut
from services.people.authenticator import Asker, OwnSession, OwnTurn, principals
from services.people.course_keys import Name
from services.web.problems import problems
from services.web.serving import Served, ThreadedRouter
from vta.dialogue.fact_wording import next_office_hour
from vta.types.courses import CourseId

CLIENT_LEFT = 499
"""For the access log alone: nobody is there to read it."""
MOST_CONVERSATIONS = 50

_ANSWER: dict[int | str, dict[str, object]] = {
    200: {
        "model": AnswerOut,
        "description": "The answer; with `stream`, the typed events of its making: start, trace, sources "
        "(what was found, before a language model writes), delta, html, citations, concepts, then done with "
        "the whole answer, or error with a problem. `html` sets the text so far: after the first `keep` "
        "UTF-16 code units of the HTML before, the HTML continues with its `html`.",
        "content": {"text/event-stream": {}},
    }
}
_PROBLEMS = problems(
    {
        401: "No token where one is needed, or one that opens nothing.",
        403: "The token or key opens something else.",
        404: "No such course, session or turn, or not the asker's.",
        409: "The first request with this Idempotency-Key is still at work, no TA asked back, or the course "
        "is archived.",
        429: "Too many questions; Retry-After says when to come back.",
        503: "The course cannot be answered from right now.",
    }
)


router = ThreadedRouter(prefix="/v1/courses/{course}", tags=["dialogue"], responses=_PROBLEMS)


@router.post("/dialogue", response_model=None, responses=_ANSWER)
async def ask(
    course: Name, body: DialogueIn, request: Request, who: Asker, answering: AnsweringHere
) -> Response:
    """Ask one question. With `stream` the answer comes as server-sent events, else as one JSON object."""
    question = await answering.admit(request, who, body.to_question(course))
    if not body.stream:
        written = await answering.answer(request, question, write_answer)
        return Response(written, CLIENT_LEFT if written is None else 200, media_type="application/json")
    events = answering.stream(request, question)
    first = await anext(events)
    return answering.send(as_server_sent(first, events))


@router.get("/sessions")
def list_sessions(course: Name, platform: Served, who: Asker) -> ConversationsOut:
    """The latest sessions of the learner who asks, by token or launch; nobody else's, and no others."""
    if who.learner_id is None:
        return ConversationsOut(sessions=[])
    found = platform.stores.sessions.conversations(CourseId(course), who.learner_id, MOST_CONVERSATIONS)
    return ConversationsOut.model_validate({"sessions": found}, from_attributes=True)


@router.get("/sessions/{session}", response_model=None, responses={200: {"model": SessionOut}})
def read_session(course: Name, session: OwnSession, platform: Served) -> Response:
    """The turns of a session in order."""
    sessions = platform.stores.sessions
    turns = sessions.turns(CourseId(course), session)
    reactions = sessions.reactions(CourseId(course), session)
    found = [turn_out(turn, reactions.get(turn.id, NO_REACTION)) for turn in turns]
    return JSONResponse({"session_id": session, "turns": found})


@router.get("/sessions/{session}/ta-answers", response_model=TaAnswersOut)
def read_ta_answers(course: Name, session: OwnSession, platform: Served) -> Response:
    """The answers of real TAs to questions of this session."""
    found = platform.stores.ta_queue.answers(CourseId(course), session)
    return JSONResponse({"answers": [ta_answer_out(answer) for answer in found]})


@router.post("/sessions/{session}/ta-answers/seen", status_code=204)
def mark_ta_answers_seen(course: Name, session: OwnSession, platform: Served) -> None:
    """The student has seen them."""
    platform.stores.ta_queue.mark_seen(CourseId(course), session)


@router.delete("/sessions/{session}", status_code=204)
def delete_session(course: Name, session: OwnSession, platform: Served) -> None:
    """Forget a session."""
    platform.stores.sessions.delete(CourseId(course), session)


@router.post("/turns/{turn}/feedback", status_code=204)
def give_feedback(course: Name, turn: OwnTurn, body: FeedbackIn, platform: Served) -> None:
    """Thumbs for an answer; the last ones count."""
    platform.stores.sessions.feedback(CourseId(course), body.to_feedback(turn))


@router.post("/turns/{turn}/ask-ta", status_code=201)
def ask_ta(course: Name, turn: OwnTurn, who: Asker, platform: Served, answering: AnsweringHere) -> AskedTaOut:
    """Hand the question to a real TA; asking twice gives the same entry."""
    answering.require_open(CourseId(course))
    stores, id = platform.stores, CourseId(course)
    usual, hour = stores.asked.usual_wait(id), next_office_hour(stores.facts.facts(id), datetime.now(UTC))
    waiting = stores.asked.ask_ta(id, turn, email=who.email)
    told = {
        "question_id": waiting.id,
        "state": waiting.state,
        "usual_wait_s": None if usual is None else usual.total_seconds(),
        "office_hour": hour and {"begins": hour[0], "place": hour[1].place},
    }
    return AskedTaOut.model_validate(told)


@router.post("/turns/{turn}/ta-reply", status_code=201)
def reply_to_ta(
    course: Name, turn: OwnTurn, body: TaReplyIn, platform: Served, answering: AnsweringHere
) -> WaitingOut:
    """Reply to a real TA who asked back, which puts the question back in their inbox."""
    answering.require_open(CourseId(course))
    waiting = platform.stores.threads.respond(CourseId(course), turn, body.text)
    return WaitingOut.model_validate({"question_id": waiting.id, "state": waiting.state})


@router.get(
    "/graph",
    response_model=None,
    responses={200: {"model": GraphOut}},
    tags=["graph"],
    dependencies=[Depends(principals(admits_instructors=True))],
)
def read_graph(course: Name, platform: Served) -> Response:
    """The concepts of the course and what comes before which, edits of its teachers included."""
    found = platform.stores.courses.course(CourseId(course))
    known = platform.graphs.concepts(found.id)
    written = write_concepts(*known)
    return Response(written, media_type="application/json")
