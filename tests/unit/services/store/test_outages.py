"""The breaker of the store: what a server answers closes it, and while it is open the store says so."""

from __future__ import annotations

from pathlib import Path

import factories as make
import pytest
from sql_stores import new_stores

from services.store import transactions
from vta.breaker import CircuitBreaker
from vta.errors import Conflict, UpstreamFailed


@pytest.mark.fault(case="T140")
def test_a_store_that_is_left_alone_is_not_ready_and_any_answer_of_the_server_ends_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement that the server refuses, as one about a taken id, is an answer too."""
    stores = new_stores(tmp_path, make.course("ds"))
    breaker = CircuitBreaker(failures=1, cool_down_s=3600)
    monkeypatch.setitem(transactions._breakers, stores.engine.pool, breaker)
    breaker.failed()
    with pytest.raises(UpstreamFailed, match="not tried again yet"):
        stores.check()
    monkeypatch.setattr(breaker, "_cool_down_s", 0.0)
    with (
        pytest.raises(Conflict),
        transactions.writing(stores.engine) as connection,
    ):
        connection.exec_driver_sql("INSERT INTO courses SELECT * FROM courses")
    assert not breaker.is_open
    stores.check()
    stores.close()
