"""The answers of equal first questions: worked out once while the course and what it borrows stay."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from threading import Lock

from vta.dialogue.degradations import CLOSEST, NO_MODEL, UNCITED
from vta.ports import Knowledge
from vta.types.answers import Answer, Started
from vta.types.courses import Course
from vta.types.questions import Question

_MOST = 1_000
_SETTLED = (None, NO_MODEL, CLOSEST, UNCITED)
"""The degradations of an answer that all services gave."""


class SharedAnswers:
    """The latest shared answers. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()

    def find(
        self, knowledge: Knowledge, course: Course, question: Question, started: Started
    ) -> Answer | None:
        """The answer as this turn's own, its stages without time; None where none was given yet."""
        with self._lock:
            answer = self._answers.get(key := _key(knowledge, course, question))
            if answer is None:
                return None
            self._answers.move_to_end(key)
        return replace(
            answer,
            turn_id=started.turn_id,
            session_id=started.session_id,
            trace=tuple(replace(step, ms=0.0) for step in answer.trace),
        )

    def keep(self, knowledge: Knowledge, course: Course, question: Question, answer: Answer) -> None:
        """Keep an answer, unless a service failed: the next one may be whole."""
        with self._lock:
            if answer.degraded in _SETTLED:
                self._answers[_key(knowledge, course, question)] = answer
                if len(self._answers) > _MOST:
                    self._answers.popitem(last=False)


def _key(knowledge: Knowledge, course: Course, question: Question) -> Hashable:
    return replace(question, session_id=None, learner_id=None), course, knowledge.version_of(course)
