"""A student asks, a TA answers, and the process is killed while it tells the platform.

`die_after_answering.py URL COURSE` prints the delivery's id before. The try was begun a minute ago by its
clock, so that nobody need wait for its claim to end.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime, timedelta

import factories as make

from services.stores import open_stores
from vta.types.answers import Route
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft
from vta.types.questions import Question


class EarlierClock:
    """A minute behind."""

    def now(self) -> datetime:
        return datetime.now(UTC) - timedelta(minutes=1)


course = CourseId(sys.argv[2])
stores = open_stores(sys.argv[1], EarlierClock())
answer = make.answer(course=course, route=Route.UNANSWERED)
stores.sessions.record(Question(course_id=course, text="Who marks the homework?"), answer)
waiting = stores.asked.ask_ta(course, answer.turn_id)
draft = FaqDraft(question="Who marks the homework?", answer="Bo does.")
stores.ta_queue.answer(course, [waiting.id], draft, editor="ann")
(outgoing,) = stores.webhooks.claim()
print(outgoing.id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
