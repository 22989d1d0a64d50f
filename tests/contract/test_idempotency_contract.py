"""Idempotency keys, on each database: they last a day, and a process that died holds one for minutes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from clocks import SetClock

from services.store.idempotency import (
    HELD,
    LASTS,
    Attempt,
    InProgress,
    KeyReused,
    ReplyNotKept,
    SqlIdempotency,
    StoredReply,
)
from services.stores import Stores
from vta.types.courses import CourseId, SessionId

DS = CourseId("ds")
REPLY = StoredReply(status=201, headers={"etag": '"1"'}, body='{"text": "栈"}\0'.encode())


def begin(stores: Stores, request: str = "r") -> Attempt | StoredReply:
    return stores.idempotency.begin("digest", request_hash=request, course_id=DS)


@pytest.fixture
def clock(stores: Stores) -> SetClock:
    """The clock of the keys."""
    clock = SetClock()
    stores.idempotency = SqlIdempotency(stores.engine, clock)
    return clock


def test_a_reply_is_replayed_for_a_day(stores, clock):
    """Within 24 hours the reply, after them a new attempt."""
    stores.idempotency.finish(begin(stores), REPLY)
    clock.moment += LASTS - timedelta(seconds=1)
    assert begin(stores) == REPLY
    with pytest.raises(KeyReused):
        begin(stores, "other")
    clock.moment += timedelta(seconds=1)
    assert isinstance(begin(stores, "other"), Attempt)


def test_a_process_that_died_is_followed_by_another(stores, clock):
    """While it may live the key is held; afterwards another attempt has the right, and the dead one none."""
    dead = begin(stores)
    clock.moment += HELD - timedelta(seconds=1)
    with pytest.raises(InProgress):
        begin(stores)
    clock.moment += timedelta(seconds=1)
    alive = begin(stores)
    stores.idempotency.finish(dead, StoredReply(status=200, headers={}, body=b"late"))
    stores.idempotency.give_up(dead)
    with pytest.raises(InProgress):
        begin(stores)
    stores.idempotency.finish(alive, REPLY)
    assert begin(stores) == REPLY


def test_what_was_given_up_may_be_done_again(stores):
    """The key is as if it had never come."""
    stores.idempotency.give_up(begin(stores))
    assert isinstance(begin(stores, "other"), Attempt)


def test_of_many_at_once_one_may_begin(stores):
    """The others are told that it is at work; afterwards all get its reply, byte by byte."""

    def try_it(_: int) -> Attempt | StoredReply | None:
        try:
            return begin(stores)
        except InProgress:
            return None

    with ThreadPoolExecutor(8) as senders:
        begun = [each for each in senders.map(try_it, range(16)) if each is not None]
    assert len(begun) == 1
    stores.idempotency.finish(begun[0], REPLY)
    assert [begin(stores) for _ in range(3)] == [REPLY] * 3


def test_a_reply_without_its_words_says_that_it_was_done(stores):
    """What must not be kept is not there; the request is still not done again."""
    stores.idempotency.finish(begin(stores), REPLY, keep=False)
    with pytest.raises(ReplyNotKept):
        begin(stores)


def test_a_reply_goes_with_its_session_and_its_course(stores, samples):
    """Nothing that was erased is replayed."""
    stores.sessions.record(samples.question(), samples.answer("t1"))
    stores.idempotency.finish(begin(stores), REPLY, session_id=SessionId("s1"))
    stores.sessions.delete(DS, SessionId("s1"))
    attempt = begin(stores)
    assert isinstance(attempt, Attempt)
    stores.idempotency.finish(attempt, REPLY)
    stores.courses.remove(DS)
    assert isinstance(begin(stores), Attempt)
