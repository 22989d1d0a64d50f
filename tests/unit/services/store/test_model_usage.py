"""What the language model cost, in the store."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from clocks import SetClock
from sql_stores import new_stores

from services.dialogue.model_usage import BackgroundMeter
from services.stores import Stores
from vta.types.courses import CourseId
from vta.types.language_model import ModelUsage

DS = CourseId("ds")


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2024, 3, 1, 8, tzinfo=UTC))


@pytest.fixture
def stores(tmp_path: Path, clock: SetClock) -> Iterator[Stores]:
    opened = new_stores(tmp_path, clock=clock)
    yield opened
    opened.close()


def used(course: CourseId | None = DS, model: str = "m", **more: int) -> ModelUsage:
    return ModelUsage(course_id=course, model=model, **more)


def test_sums_are_kept_by_course_and_model_over_all_days(stores: Stores, clock: SetClock) -> None:
    """Calls for no course stand first; the bill of a course stays when the course goes."""
    for usage in (
        used(prompt_tokens=10, completion_tokens=2),
        used(prompt_tokens=5, completion_tokens=1),
        used(uncounted=1),
        used(model="other", prompt_tokens=1),
        used(course=None, prompt_tokens=4),
    ):
        stores.usage.record(usage)
        clock.moment += timedelta(hours=9)
    assert stores.usage.totals() == (
        used(course=None, prompt_tokens=4),
        used(calls=3, uncounted=1, prompt_tokens=15, completion_tokens=3),
        used(model="other", prompt_tokens=1),
    )


def test_a_day_is_one_of_utc(stores: Stores, clock: SetClock) -> None:
    """Wherever the server stands: one row, not two."""
    stores.usage.record(used())
    clock.moment = datetime(2024, 3, 2, 6, tzinfo=timezone(timedelta(hours=8)))
    stores.usage.record(used())
    with stores.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT day, calls FROM model_usage").all()
    assert [tuple(row) for row in rows] == [("2024-03-01", 2)]


def test_calls_at_the_same_time_are_all_counted(stores: Stores) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(stores.usage.record, [used(prompt_tokens=1)] * 40))
    assert stores.usage.totals() == (used(calls=40, prompt_tokens=40),)


def test_the_background_meter_has_kept_everything_once_it_is_closed(stores: Stores) -> None:
    meter = BackgroundMeter(stores.usage)
    for _ in range(20):
        meter.record(used(completion_tokens=1))
    meter.close()
    assert stores.usage.totals() == (used(calls=20, completion_tokens=20),)


def test_a_note_that_cannot_be_kept_is_logged_and_harms_nobody(
    stores: Stores, caplog: pytest.LogCaptureFixture
) -> None:
    with stores.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE model_usage")
    meter = BackgroundMeter(stores.usage)
    meter.record(used())
    meter.close()
    assert "could not be stored" in caplog.text
