"""Idempotency keys, on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from services.storage.idempotency import Attempt, InProgress, ReplyNotKept, StoredReply
from services.storage.stores import Stores
from vta.types import CourseId, SessionId

DS = CourseId("ds")
REPLY = StoredReply(status=201, headers={"etag": '"1"'}, body='{"text": "栈"}\0'.encode())


@pytest.fixture
def stores(databases: Stores, samples) -> Stores:
    databases.courses.add(samples.course("ds"))
    return databases


def begin(stores: Stores) -> Attempt | StoredReply:
    return stores.idempotency.begin("digest", request_hash="r", course_id=DS)


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
