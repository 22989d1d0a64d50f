"""Idempotency keys over time: they last a day, and a process that died holds one for minutes only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from services.storage.engine import sqlite_url
from services.storage.idempotency import HELD, LASTS, Attempt, InProgress, KeyReused, StoredReply
from services.storage.stores import open_stores

REPLY = StoredReply(status=201, headers={"etag": '"1"'}, body=b"{}")


class MovedClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 9, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def store(tmp_path: Path, clock: MovedClock):
    stores = open_stores(sqlite_url(tmp_path / "vta.db"), clock)
    yield stores.idempotency
    stores.close()


def begin(store, request: str = "r"):
    return store.begin("digest", request_hash=request, course_id=None)


def test_a_reply_is_replayed_for_a_day(store, clock):
    """Within 24 hours the reply, after them a new attempt."""
    attempt = begin(store)
    assert isinstance(attempt, Attempt)
    store.finish(attempt, REPLY)
    clock.moment += LASTS - timedelta(seconds=1)
    assert begin(store) == REPLY
    with pytest.raises(KeyReused):
        begin(store, "other")
    clock.moment += timedelta(seconds=1)
    assert isinstance(begin(store, "other"), Attempt)


def test_a_process_that_died_is_followed_by_another(store, clock):
    """While it may live the key is held; afterwards another attempt has the right, and the dead one none."""
    dead = begin(store)
    clock.moment += HELD - timedelta(seconds=1)
    with pytest.raises(InProgress):
        begin(store)
    clock.moment += timedelta(seconds=1)
    alive = begin(store)
    store.finish(dead, StoredReply(status=200, headers={}, body=b"late"))
    store.give_up(dead)
    with pytest.raises(InProgress):
        begin(store)
    store.finish(alive, REPLY)
    assert begin(store) == REPLY


def test_what_was_given_up_may_be_done_again(store):
    """The key is as if it had never come."""
    store.give_up(begin(store))
    assert isinstance(begin(store, "other"), Attempt)
