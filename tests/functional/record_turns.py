"""Records turns without end and prints each turn's id once it is acknowledged: `record_turns.py URL NAME`."""

from __future__ import annotations

import sys
from itertools import count

import factories as make

from services.clock import SystemClock
from services.stores import open_stores
from vta.types.courses import CourseId
from vta.types.questions import Question

COURSE = CourseId("ds")
TURNS_A_SESSION = 3

stores = open_stores(sys.argv[1], SystemClock())
for number in count():
    turn, session = f"{sys.argv[2]}-{number}", f"{sys.argv[2]}-{number // TURNS_A_SESSION}"
    answer = make.answer(turn, session, COURSE, text=f"{turn} " * 2000)
    stores.sessions.record(Question(course_id=COURSE, text=f"q {turn}"), answer)
    print(turn, session, flush=True)
