"""Reports made behind pages: one at a time for a range of days, and none that cannot be begun again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import factories as make
import pytest
from clocks import SetClock
from sql_stores import new_stores

from services.analytics.service import LOOKED_AT_S, AnalyticsService, Days
from services.settings import Settings
from vta.errors import NotFound
from vta.types.courses import CourseId

DS = CourseId("ds")
MARCH = Days(first=date(2025, 3, 1), last=date(2025, 3, 31))


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2025, 3, 31, 12, tzinfo=UTC))


@pytest.fixture
def analytics(tmp_path: Path, clock: SetClock) -> Iterator[AnalyticsService]:
    stores = new_stores(tmp_path, make.course(DS), clock=clock)
    service = AnalyticsService(stores, Settings(home=tmp_path), clock)
    yield service
    service.close()
    stores.close()


def test_first_views_of_a_report_at_once_share_one(analytics, monkeypatch):
    """It is counted once, and each of them shows it."""
    make_report, counted, seen = analytics._make, [], threading.Event()

    def slowly(*given: Any) -> Any:
        counted.append(given)
        seen.wait(0.5)
        return make_report(*given)

    monkeypatch.setattr(analytics, "_make", slowly)
    with ThreadPoolExecutor(8) as pool:
        views = [pool.submit(analytics.cached, DS, MARCH) for _ in range(8)]
        shown = [each.result().report for each in views]
    assert len(counted) == 1
    assert shown == [analytics.current(DS, MARCH)] * 8
    with pytest.raises(NotFound):
        analytics.current(CourseId("none"), MARCH)


def test_a_refresh_that_could_not_begin_is_begun_by_the_next_page(analytics, clock, monkeypatch):
    """No report stays under way for ever."""
    first = analytics.cached(DS, MARCH)
    clock.moment += timedelta(seconds=LOOKED_AT_S + 1)

    def full(*given: Any) -> Any:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as broken:
        broken.setattr(analytics._worker, "submit", full)
        with pytest.raises(RuntimeError):
            analytics.cached(DS, MARCH)
    assert analytics.cached(DS, MARCH).outdated
    analytics.close()
    assert analytics._cache[DS, MARCH].made_at > first.made_at
