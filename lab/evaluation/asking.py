"""Questions put to a course through the whole pipeline; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from lab.measures.intervals import bootstrap_interval
from services.wiring import Platform
from vta.types.answers import Answer, Route
from vta.types.courses import Course
from vta.types.questions import Question

ANSWERED = frozenset({Route.DIRECT, Route.CHAIN_OF_TEACH})
"""The routes on which the course's knowledge answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer to a question, and the milliseconds from question to whole answer."""

    question: str
    answer: Answer
    ms: float

    @property
    def answered(self) -> bool:
        """Whether the course answered, rather than that it was refused or talked about something else."""
        return self.answer.route in ANSWERED


async def ask_all(vta: Platform, course: Course, questions: Sequence[str]) -> list[Asked]:
    """Ask each in a session of its own; the knowledge is read before the first, and counts for none."""
    vta.knowledge.current()
    asked = []
    for text in questions:
        start = perf_counter()
        answer = await vta.previewer.answer(Question(course_id=course.id, text=text))
        asked.append(Asked(question=text, answer=answer, ms=(perf_counter() - start) * 1000))
    return asked


def mean_json(values: Sequence[float], seed: int) -> dict[str, object]:
    """A mean with its 95 % bootstrap interval and the number of values; null where there are none."""
    if not values:
        return {"mean": None, "n": 0}
    low, high = bootstrap_interval(values, seed=seed)
    mean = round(sum(values) / len(values), 4)
    return {"mean": mean, "interval_95": [round(low, 4), round(high, 4)], "n": len(values)}
