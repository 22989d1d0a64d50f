"""Questions put to a course through the whole pipeline; nothing of it is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TypeVar

from lab.measures.intervals import bootstrap_interval
from services.wiring import Platform
from vta.types.answers import Answer, Route
from vta.types.courses import Course
from vta.types.questions import Question

T = TypeVar("T")

AT_ONCE = 8
"""How many calls of a language model are under way at once where nothing is timed."""

ANSWERED = frozenset({Route.DIRECT, Route.CHAIN_OF_TEACH})
"""The routes on which the course's knowledge answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer to a question, the milliseconds until it was whole, and how many the processor worked.

    The latter, of questions asked one by one, leave out the wait for a language model.
    """

    question: str
    answer: Answer
    ms: float
    processor_ms: float

    @property
    def answered(self) -> bool:
        """Whether the course answered, rather than that it was refused or talked about something else."""
        return self.answer.route in ANSWERED


async def ask_all(
    vta: Platform, course: Course, questions: Sequence[str], *, one_by_one: bool = True
) -> list[Asked]:
    """Ask each in a session of its own; the knowledge is read before the first, and counts for none.

    One by one their times can be told; else some are asked at once.
    """
    vta.knowledge.current()

    async def ask(text: str) -> Asked:
        start, worked = perf_counter(), process_time()
        answer = await vta.previewer.answer(Question(course_id=course.id, text=text))
        ms, processor_ms = (perf_counter() - start) * 1000, (process_time() - worked) * 1000
        return Asked(question=text, answer=answer, ms=ms, processor_ms=processor_ms)

    return await at_once(map(ask, questions), most=1 if one_by_one else AT_ONCE)


async def at_once(calls: Iterable[Awaitable[T]], *, most: int = AT_ONCE) -> list[T]:
    """What the calls give, in their order, at most so many of them under way."""
    gate = asyncio.Semaphore(most)

    async def one(call: Awaitable[T]) -> T:
        async with gate:
            return await call

    return await asyncio.gather(*map(one, calls))


def mean_json(values: Sequence[float], seed: int) -> dict[str, object]:
    """A mean with its 95 % bootstrap interval and the number of values; null where there are none."""
    if not values:
        return {"mean": None, "n": 0}
    low, high = bootstrap_interval(values, seed=seed)
    mean = round(sum(values) / len(values), 4)
    return {"mean": mean, "interval_95": [round(low, 4), round(high, 4)], "n": len(values)}
