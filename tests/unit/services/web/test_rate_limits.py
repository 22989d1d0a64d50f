"""Limits as arithmetic: what is admitted in a minute, when to come back, what losing Redis changes."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis
from clocks import Seconds
from fault_proxy import Fault, FaultProxy
from redis_server import run_redis
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.settings import Settings
from services.web.callers import address_of
from services.web.counters import FileCounters
from services.web.problems import ProblemRaised
from services.web.rate_limits import FAILED_FOR_ACCOUNT, FAILED_LOG_INS, RateLimits
from services.web.redis_counters import LEFT_ALONE_S, TIMEOUT_S, RedisCounters
from vta.types.courses import CourseId
from vta.types.questions import Question

COURSE = CourseId("stacks-en")

START = 6_000_000.0
NOWHERE = FileCounters(Path("/dev/null/limits"))
"""It cannot count, so each process counts by itself."""


def limits(*, processes: int = 1, **given: int) -> Settings:
    off = {"learner": 0, "key": 0, "address": 0, "requests": 0}
    named = {f"limit_{name}": most for name, most in {**off, **given}.items()}
    return Settings(processes=processes, **named)


async def ask(bounds: RateLimits, *, times: int, address: str = "192.0.2.1", **subject: str) -> int:
    """How many of so many questions were admitted; each refusal says when to come back."""
    admitted, refusals = 0, []
    for _ in range(times):
        try:
            named = {f"{name}_id": given for name, given in subject.items()}
            question = Question(course_id=COURSE, text="?", **named)
            await bounds.admit_question(question, address=address, key=None)
            admitted += 1
        except ProblemRaised as refused:
            refusals.append(refused)
    assert {(each.problem.status, each.problem.code) for each in refusals} <= {(429, "limit_exceeded")}
    assert all(1 <= int(each.headers["Retry-After"]) <= 120 for each in refusals)
    return admitted


async def test_a_learner_is_bound_however_many_sessions_they_have():
    """The limit is the learner's; another learner at the same address is not locked out."""
    bounds = RateLimits(limits(learner=5), shared=NOWHERE, now=Seconds(START))
    assert sum([await ask(bounds, times=2, learner="a", session=f"s{n}") for n in range(6)]) == 5
    assert await ask(bounds, times=9, learner="b") == 5
    assert await ask(bounds, times=9, session="s") == 5


async def test_a_campus_behind_one_address_is_not_locked_out_by_one_student():
    """The address is the outer bound of all who ask without a key, whatever names they make up."""
    bounds = RateLimits(limits(learner=5, address=40), shared=NOWHERE, now=Seconds(START))
    assert await ask(bounds, times=50, learner="greedy") == 5
    assert sum([await ask(bounds, times=1, learner=f"student {n}") for n in range(100)]) == 35
    assert await ask(bounds, times=1, learner="elsewhere", address="192.0.2.2") == 1


async def fail(bounds: RateLimits, *, times: int, name: str = "ann", address: str = "192.0.2.1") -> int:
    """How many of so many log-ins were tried, all in vain."""
    tried, statuses = 0, set()
    for _ in range(times):
        try:
            await bounds.admit_log_in(address, name)
            tried += 1
        except ProblemRaised as refused:
            statuses.add(refused.problem.status)
    assert statuses <= {429}
    return tried


async def test_one_guesser_behind_a_campus_address_locks_out_nobody_else():
    """Ten for one account from one address; the address as a whole has room for the others."""
    bounds = RateLimits(limits(), shared=NOWHERE, now=Seconds(START))
    assert await fail(bounds, times=50) == FAILED_LOG_INS
    assert sum([await fail(bounds, times=1, name=f"colleague {n}") for n in range(50)]) == 50
    assert sum([await fail(bounds, times=1, name=f"made up {n}") for n in range(100)]) == 40
    assert await fail(bounds, times=1, name="elsewhere", address="192.0.2.2") == 1


async def test_guessers_at_many_addresses_are_slowed_down_together():
    """For one account; a name that is spelt like an address and an account counts for neither."""
    bounds = RateLimits(limits(), shared=NOWHERE, now=Seconds(START))
    assert await fail(bounds, times=30, name="192.0.2.9\nann") == FAILED_LOG_INS
    tried = [await fail(bounds, times=30, address=f"192.0.2.{n}") for n in range(9, 19)]
    assert (tried[0], sum(tried)) == (FAILED_LOG_INS, FAILED_FOR_ACCOUNT)


async def test_no_minute_holds_much_more_than_the_limit():
    """Under steady pressure for ten minutes, no 60 seconds get more than 1.25 of the limit."""
    watch = Seconds(START)
    bounds = RateLimits(limits(learner=30), shared=NOWHERE, now=watch)
    admitted: list[float] = []
    for _ in range(1200):
        watch.seconds += 0.5
        if await ask(bounds, times=1, learner="a"):
            admitted.append(watch.seconds)
    assert len(admitted) >= 30 * 9
    worst = max(sum(1 for other in admitted if 0 <= other - first < 60) for first in admitted)
    assert worst <= 30 * 1.25


async def test_whoever_waits_as_told_is_let_in():
    """The seconds of Retry-After are enough, whatever was asked before."""
    for already in range(1, 8):
        watch = Seconds(START)
        bounds = RateLimits(limits(learner=3), shared=NOWHERE, now=watch)
        await ask(bounds, times=already, learner="a")
        watch.seconds += 7.0 * already
        for _ in range(20):
            try:
                question = Question(course_id=COURSE, text="?", learner_id="a")
                await bounds.admit_question(question, address="192.0.2.1", key=None)
            except ProblemRaised as refused:
                watch.seconds += int(refused.headers["Retry-After"])
                assert await ask(bounds, times=1, learner="a") == 1


async def test_zero_means_no_limit():
    """A limit that is off counts nothing."""
    assert (
        await ask(
            RateLimits(limits(), shared=NOWHERE, now=Seconds(START)), times=500, learner="a", session="s"
        )
        == 500
    )


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # a stranger may not name another
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"),  # the left side is the client's own invention
        ("10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),  # one client has 64 bits to itself
        ("::ffff:203.0.113.9", "", "203.0.113.9"),
    ],
)
async def test_only_trusted_proxies_name_the_client(peer, forwarded, expected):
    """The address that limits see is the first one from the right that is none of our proxies."""
    seen: list[str] = []

    async def app(scope, receive, send):
        seen.append(address_of(scope))

    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "client": (peer, 1), "headers": headers, "scheme": "http"}
    await ProxyHeadersMiddleware(app, trusted_hosts=["10.0.0.0/8"])(scope, None, None)
    assert seen == [expected]


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A real Redis of the test's own."""
    with run_redis(tmp_path) as url:
        yield url


@pytest.mark.parametrize("kind", ["redis", "file"])
async def test_processes_share_their_limits(request, tmp_path, kind):
    """Four admit together what one would: in this minute, in the next, and when both are over."""
    watch, url = Seconds(START), request.getfixturevalue("redis_url") if kind == "redis" else ""
    shared = [RedisCounters(url) if url else FileCounters(tmp_path / "limits") for _ in range(4)]
    processes = [RateLimits(limits(learner=8, processes=4), shared=each, now=watch) for each in shared]
    assert {await each.state() for each in shared} == {"ok" if url else None}
    assert sum([await ask(each, times=8, learner="a") for each in processes]) == 8
    assert await ask(processes[0], times=3, learner="b") == 3
    watch.seconds += 90
    assert sum([await ask(each, times=8, learner="a") for each in processes]) == 4
    watch.seconds += 120
    assert await ask(processes[3], times=20, learner="a") == 8
    for each in shared:
        await each.aclose()


async def test_a_count_in_the_file_can_be_taken_back(tmp_path):
    """Also after the next minute has begun, where it stands as that of the minute before."""
    one, other = (FileCounters(tmp_path / "limits") for _ in range(2))
    assert [await each.add("a", 5, 60) for each in (one, other, one)] == [(0, 1), (0, 2), (0, 3)]
    await other.take_back("a", 5)
    assert await one.add("a", 6, 60) == (2, 1)
    await other.take_back("a", 5)
    assert await other.add("a", 6, 60) == (1, 2)
    assert await other.add("a", 8, 60) == (0, 1)
    for each in (one, other):
        await each.aclose()


async def test_counts_of_minutes_that_are_over_are_forgotten(tmp_path):
    """The file keeps this minute and the one before."""
    counters = FileCounters(tmp_path / "limits")
    for window in range(5):
        for n in range(10):
            await counters.add(f"n{n}", window, 60)
    with closing(sqlite3.connect(tmp_path / "limits")) as file:
        assert file.execute("SELECT DISTINCT period FROM counts ORDER BY 1").fetchall() == [(3,), (4,)]
    await counters.aclose()


async def test_a_folder_that_cannot_be_written_is_counted_around(tmp_path, caplog):
    """Each process admits its share, and it is logged once."""
    bounds = RateLimits(
        limits(learner=8, processes=4), shared=FileCounters(tmp_path / "none" / "limits"), now=Seconds(START)
    )
    assert await ask(bounds, times=20, learner="a") == 2
    assert caplog.text.count("counted in this process") == 1


async def test_a_file_that_another_process_keeps_locked_is_counted_around(tmp_path):
    """Nobody waits for it for long."""
    counters = FileCounters(tmp_path / "limits")
    assert await counters.add("a", 5, 60) == (0, 1)
    with closing(sqlite3.connect(tmp_path / "limits", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        assert await counters.add("a", 5, 60) is None
        assert time.monotonic() - begun < 10.0
        other.execute("ROLLBACK")
    assert await counters.add("a", 5, 60) == (0, 2)
    await counters.aclose()


async def test_a_redis_that_is_read_only_is_counted_around(redis_url):
    """READONLY, as after a failover, is a failure of Redis and none of the request."""
    plain = redis.Redis.from_url(redis_url)
    plain.replicaof("127.0.0.1", 1)
    plain.close()
    shared = RedisCounters(redis_url)
    bounds = RateLimits(limits(learner=8, processes=4), shared=shared, now=Seconds(START))
    assert await ask(bounds, times=20, learner="a") == 2
    await shared.aclose()


def test_a_connection_that_was_reset_is_counted_around_on_the_loop_that_serves(tmp_path):
    """Where uvloop is installed the server runs on it, and it fails in words of its own."""
    uvloop = pytest.importorskip("uvloop")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    async def count(proxy: FaultProxy) -> list[object]:
        shared = RedisCounters(proxy.instead_of(f"redis://127.0.0.1:{port}/0"))
        before = await shared.add("a", 1, 60)
        await asyncio.to_thread(proxy.set, Fault.REFUSE)
        await asyncio.sleep(0.1)  # until the loop has read that the connection is gone
        after = await shared.add("a", 1, 60)
        await shared.aclose()
        return [before, after]

    with (
        run_redis(tmp_path, port=port),
        FaultProxy("127.0.0.1", port) as proxy,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        assert runner.run(count(proxy)) == [(0, 1), None]


async def test_without_redis_each_process_admits_its_part_and_recovers():
    """Refused connections: the cap is limit / processes, no request fails, and Redis is asked again later."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"redis://127.0.0.1:{free.getsockname()[1]}/0"
    watch = Seconds(START)
    shared = RedisCounters(url, now=watch)
    bounds = RateLimits(limits(learner=8, processes=4), shared=shared, now=watch)
    assert await ask(bounds, times=20, learner="a") == 2
    assert (await shared.state()).startswith("failed (ConnectionError)")
    await shared.aclose()


async def test_a_slow_redis_costs_one_short_wait_and_is_then_left_alone():
    """A Redis that accepts and never answers delays one request by the time-out, the others not at all."""
    watch = Seconds(START)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        shared = RedisCounters(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", now=watch)
        bounds = RateLimits(limits(learner=100), shared=shared, now=watch)
        began = time.monotonic()
        assert await ask(bounds, times=50, learner="a") == 50
        assert time.monotonic() - began < 40 * TIMEOUT_S  # 50 times, if each waited
        watch.seconds += LEFT_ALONE_S
        assert await ask(bounds, times=1, learner="a") == 1
        await shared.aclose()


async def test_a_question_that_one_bound_refuses_is_counted_by_none():
    """Refused by the full address, a learner is let in at once from another one."""
    bounds = RateLimits(limits(learner=3, address=2), shared=NOWHERE, now=Seconds(START))
    assert await ask(bounds, times=2, learner="other") == 2
    assert await ask(bounds, times=9, learner="a") == 0
    assert await ask(bounds, times=3, learner="a", address="192.0.2.2") == 2
    assert await ask(bounds, times=3, learner="a", address="192.0.2.3") == 1
