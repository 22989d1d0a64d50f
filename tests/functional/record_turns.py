"""Records turns without end and prints each turn's id once it is acknowledged: `record_turns.py URL NAME`."""

from __future__ import annotations

import sys
from itertools import count

from services.clock import SystemClock
from services.stores import open_stores
from vta.types.answers import Answer, Route
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.questions import IntentLabel, IntentPrediction, Question

COURSE = CourseId("ds")
TURNS_A_SESSION = 3

stores = open_stores(sys.argv[1], SystemClock())
for number in count():
    turn = TurnId(f"{sys.argv[2]}-{number}")
    session = SessionId(f"{sys.argv[2]}-{number // TURNS_A_SESSION}")
    answer = Answer(
        turn_id=turn,
        session_id=session,
        course_id=COURSE,
        route=Route.DIRECT,
        text=f"{turn} " * 2000,
        citations=(),
        concepts=(),
        intent=IntentPrediction(label=IntentLabel.SIMPLE, chit_chat=0.0, probabilities={}),
        ranking=None,
        standalone_question="q",
        degraded=None,
        actions=(),
        trace=(),
    )
    stores.sessions.record(Question(course_id=COURSE, text=f"q {turn}"), answer)
    print(turn, session, flush=True)
