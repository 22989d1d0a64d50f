"""The order of questions: sessions one at a time, courses up to their limit (T41, T55)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lock_process import lock_process

from services.dialogue.answering import SessionOrder
from services.store.engine import sqlite_url
from services.store.process_locks import FileLocks
from services.web.problems import ProblemRaised
from vta.types.courses import CourseId, SessionId
from vta.types.questions import Question


def question(text: str, course: str = "ds", session: str | None = "s") -> Question:
    return Question(course_id=CourseId(course), text=text, session_id=SessionId(session) if session else None)


class FreeLocks:
    """`ProcessLocks` that no other process holds."""

    async def try_lock(self, name: str) -> bool:
        return True

    async def unlock(self, name: str) -> None:
        """Nothing is held."""


FREE = FreeLocks()


class Answers:
    """Questions that are answered one step at a time; `told` is the order in which they begin and end."""

    def __init__(self, most: int = 0, locks: Any = FREE, patience_s: float = 60.0) -> None:
        self.order = SessionOrder(most, locks=locks, patience_s=patience_s)
        self.may_end = asyncio.Event()
        self.told: list[str] = []

    async def answer(self, asked: Question) -> None:
        async with self.order.turn(asked):
            self.told.append(f"{asked.text} begins")
            await self.may_end.wait()
            self.told.append(f"{asked.text} ends")


async def begin(*work):
    """Tasks that have come as far as they can."""
    tasks = [asyncio.create_task(each) for each in work]
    for _ in range(10):
        await asyncio.sleep(0)
    return tasks


@pytest.mark.fault(case="T55")
async def test_a_session_is_answered_one_question_at_a_time_in_the_order_of_asking():
    """None begins before the one before it has ended."""
    answers = Answers()
    tasks = await begin(*(answers.answer(question(text)) for text in "abc"))
    assert answers.told == ["a begins"]
    answers.may_end.set()
    await asyncio.gather(*tasks)
    assert answers.told == [f"{text} {what}" for text in "abc" for what in ("begins", "ends")]


async def test_other_sessions_and_new_ones_do_not_wait():
    """Nor does a session of the same name in another course."""
    answers = Answers()
    tasks = await begin(
        answers.answer(question("a")),
        answers.answer(question("b", session="t")),
        answers.answer(question("c", course="ml")),
        answers.answer(question("d", session=None)),
        answers.answer(question("e", session=None)),
    )
    assert answers.told == [f"{text} begins" for text in "abcde"]
    answers.may_end.set()
    await asyncio.gather(*tasks)


async def test_a_full_course_is_refused_with_a_time_to_come_back_and_no_other_is():
    """Waiting questions count; once one has ended, one more is let in."""
    answers = Answers(most=3)
    tasks = await begin(*(answers.answer(question(text)) for text in "abc"))
    with pytest.raises(ProblemRaised) as refused:
        await answers.answer(question("d", session=None))
    assert (refused.value.problem.status, refused.value.problem.code) == (429, "limit_exceeded")
    assert int(refused.value.headers["Retry-After"]) >= 1
    tasks += await begin(answers.answer(question("e", course="ml")))
    assert answers.told == ["a begins", "e begins"]
    answers.may_end.set()
    await asyncio.gather(*tasks)
    await answers.answer(question("f"))
    assert answers.told[-1] == "f ends"


async def test_who_leaves_the_line_gives_the_place_free():
    """A cancelled question, running or waiting, holds up nobody and counts no more."""
    answers = Answers(most=3)
    running, waiting, last = await begin(*(answers.answer(question(text)) for text in "abc"))
    waiting.cancel()
    running.cancel()
    await asyncio.gather(running, waiting, return_exceptions=True)
    (more,) = await begin(answers.answer(question("d")))
    answers.may_end.set()
    await asyncio.gather(last, more)
    assert answers.told == ["a begins", "c begins", "c ends", "d begins", "d ends"]


async def test_a_session_waits_for_another_process_and_no_longer_than_it_may(tmp_path):
    """The question begins when the other process is done, or when the patience is at its end."""
    url, name = sqlite_url(tmp_path / "vta.db"), "ds\ns"
    with lock_process(url, tmp_path) as other:
        answers = Answers(locks=FileLocks(tmp_path / "process-locks"))
        answers.may_end.set()
        assert other.try_lock(name)
        task = (await begin(answers.answer(question("a"))))[0]
        await asyncio.sleep(0.05)
        assert answers.told == []
        other.unlock(name)
        await asyncio.wait_for(task, 10)
        assert other.try_lock(name)
        hasty = Answers(locks=FileLocks(tmp_path / "process-locks"), patience_s=0.05)
        hasty.may_end.set()
        await asyncio.wait_for(hasty.answer(question("b")), 10)
    assert (answers.told, hasty.told) == (["a begins", "a ends"], ["b begins", "b ends"])
