"""Threads shared between courses: who is next, and that one course never takes all of them (T41)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from services.web.fair_threads import ACTIVE_S, FairThreads, ForCourse

WAIT_S = 30.0


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What stuck jobs wait for; opened at the end, so that no thread is left."""
    event = threading.Event()
    yield event
    event.set()


async def submit(threads, course, work):
    """The future of a job that a request to a course has done in a thread."""
    futures = []

    async def app(scope, receive, send):
        futures.append(asyncio.get_running_loop().run_in_executor(threads, work))

    await ForCourse(app)({"type": "http", "path": f"/v1/courses/{course}/dialogue"}, None, None)
    return futures[0]


async def finish(threads, course, work):
    """Do a job and wait until its thread is free again."""
    await (await submit(threads, course, work))

    def wait() -> None:
        while threads.load() != (0, 0):
            time.sleep(0)

    await asyncio.to_thread(wait)


@pytest.mark.fault(case="T41")
async def test_a_course_whose_jobs_are_all_stuck_leaves_threads_to_the_others(gate):
    """A hundred stuck jobs of one course take half of the threads; another course's job runs at once."""
    with FairThreads(4) as threads:
        began = threading.Semaphore(0)

        def stick():
            began.release()
            gate.wait(WAIT_S)

        stuck = [await submit(threads, "flooded", stick) for _ in range(100)]
        assert await asyncio.wait_for(await submit(threads, "calm", lambda: "done"), WAIT_S) == "done"
        assert began.acquire(timeout=WAIT_S)
        assert began.acquire(timeout=WAIT_S)
        assert not began.acquire(blocking=False), "two of four threads, and no more"
        gate.set()
        await asyncio.gather(*stuck)


@pytest.mark.fault(case="T41")
async def test_courses_take_turns_and_jobs_of_a_course_stay_in_order(gate):
    """With one thread, of nine jobs of a course and two of another those two are second and fourth."""
    with FairThreads(1, now=lambda: 0.0) as threads:
        first = await submit(threads, "first", gate.wait)
        done: list[str] = []
        jobs = [await submit(threads, "a", lambda n=n: done.append(f"a{n}")) for n in range(9)]
        jobs += [await submit(threads, "b", lambda n=n: done.append(f"b{n}")) for n in range(2)]
        gate.set()
        await asyncio.gather(first, *jobs)
    assert done == ["a0", "b0", "a1", "b1", *(f"a{n}" for n in range(2, 9))]


@pytest.mark.fault(case="T41")
async def test_courses_that_are_active_together_have_one_thread_each(gate):
    """Of eight threads two courses get one each; a course that was alone for a second gets its half again."""
    moment = [0.0]
    with FairThreads(8, now=lambda: moment[0]) as threads:
        began = {course: threading.Semaphore(0) for course in "ab"}

        def stick(course):
            began[course].release()
            gate.wait(WAIT_S)

        jobs = [await submit(threads, course, lambda c=course: stick(c)) for course in "ab"]
        jobs += [await submit(threads, "a", lambda: stick("a")) for _ in range(20)]
        assert began["a"].acquire(timeout=WAIT_S)
        assert began["b"].acquire(timeout=WAIT_S)
        assert await asyncio.wait_for(await submit(threads, "c", lambda: "done"), WAIT_S) == "done"
        assert not began["a"].acquire(blocking=False)
        moment[0] += ACTIVE_S
        jobs += [await submit(threads, "a", lambda: stick("a")) for _ in range(3)]
        assert all([began["a"].acquire(timeout=WAIT_S) for _ in range(3)])  # noqa: C419  # each of them
        gate.set()
        await asyncio.gather(*jobs)


async def test_results_failures_and_cancelled_jobs(gate):
    """A failure is the caller's; a job that was cancelled in the line is never begun."""
    with FairThreads(1) as threads:
        first = await submit(threads, "a", gate.wait)
        ran: list[str] = []
        left = await submit(threads, "a", lambda: ran.append("left"))
        broken = await submit(threads, "a", lambda: 1 // 0)
        after = await submit(threads, "a", lambda: ran.append("after"))
        left.cancel()
        await asyncio.wait({left})
        await asyncio.sleep(0)  # the loop tells the executor in a callback of the future
        gate.set()
        assert await first
        with pytest.raises(ZeroDivisionError):
            await broken
        await after
        assert ran == ["after"]


async def test_what_runs_and_what_waits_is_counted(gate):
    """One of three jobs of a course runs while all of its threads are stuck; afterwards there is nothing."""
    with FairThreads(2) as threads:
        began = threading.Event()

        def stick():
            began.set()
            gate.wait(WAIT_S)

        jobs = [await submit(threads, "a", stick) for _ in range(3)]
        assert began.wait(WAIT_S)
        assert threads.load() == (1, 2)
        gate.set()
        await asyncio.gather(*jobs)
    assert threads.load() == (0, 0)


async def test_a_flooded_course_rests_between_its_jobs_while_another_is_active(gate):
    """As long as each took. Neither the other one rests, nor one without more jobs, nor one that is alone."""
    clock, rests = [0.0], []

    def sleep(seconds):
        rests.append(round(seconds, 3))
        clock[0] += seconds

    with FairThreads(2, now=lambda: clock[0], sleep=sleep) as threads:

        def work():
            clock[0] += 0.02

        await finish(threads, "calm", work)
        first = await submit(threads, "flooded", gate.wait)
        jobs = [await submit(threads, "flooded", work) for _ in range(3)]
        gate.set()
        await asyncio.gather(first, *jobs)
        assert rests == [0.0, 0.02, 0.02], "after those behind which more waited; the first took no time"
        clock[0] += 2 * ACTIVE_S
        rests.clear()
        await asyncio.gather(*[await submit(threads, "flooded", work) for _ in range(3)])
        assert rests == []


@pytest.mark.parametrize(("threads", "rest", "rested"), [(2, True, 3), (2, False, 0), (1, True, 0)])
async def test_a_course_rests_only_where_that_is_wanted_and_a_thread_is_free(gate, threads, rest, rested):
    """Else the jobs are done one after the other at once."""
    rests = []
    with FairThreads(threads, rest=rest, now=lambda: 0.0, sleep=rests.append) as executor:
        await finish(executor, "calm", lambda: None)
        jobs = [await submit(executor, "flooded", gate.wait) for _ in range(4)]
        gate.set()
        await asyncio.gather(*jobs)
    assert len(rests) == rested
