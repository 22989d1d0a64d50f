"""The cost of language models: noted in the background, stored and summed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from services.store.tables import model_usage as table
from services.store.transactions import ClockedStore, written
from vta.errors import VtaError
from vta.ports import UsageMeter
from vta.types.courses import CourseId
from vta.types.language_model import ModelUsage

T = TypeVar("T")

_SUMS = ("calls", "uncounted", "prompt_tokens", "completion_tokens")
_log = logging.getLogger(__name__)


class SqlModelUsage(ClockedStore):
    """The port `UsageMeter`, and the sums over all days."""

    @written
    def record(self, connection: Connection, usage: ModelUsage) -> None:
        """As the port says; the day is that of UTC."""
        key = {
            "day": self._clock.now().astimezone(UTC).date().isoformat(),
            "course_id": usage.course_id or "",
            "model": usage.model,
        }
        added = {name: getattr(usage, name) for name in _SUMS}
        more = {name: table.c[name] + value for name, value in added.items()}
        if not connection.execute(update(table).filter_by(**key).values(more)).rowcount:
            connection.execute(insert(table).values(**key, **added))

    def of_days(self, course_ids: Collection[CourseId], first: date, last: date) -> tuple[ModelUsage, ...]:
        """The usage of courses on these days of UTC, both included, by course and model."""
        days = table.c.day.between(first.isoformat(), last.isoformat())
        return self._sums(table.c.course_id.in_(course_ids), days)

    def tokens_today(self, course_id: CourseId) -> int:
        """Of prompts and answers, by all models, since the day of UTC began."""
        return self.tokens_by_day(course_id, days=1)[0][1]

    def tokens_by_day(self, course_id: CourseId, *, days: int) -> tuple[tuple[date, int], ...]:
        """As `tokens_today`, of the last days of UTC, the latest first."""
        today = self._clock.now().astimezone(UTC).date()
        last = [today - timedelta(days=n) for n in range(days)]
        tokens = func.sum(table.c.prompt_tokens + table.c.completion_tokens).label("tokens")
        of_days = table.c.day.between(last[-1].isoformat(), today.isoformat())
        query = select(table.c.day, tokens).where(table.c.course_id == course_id, of_days)
        found: dict[str, int] = {row.day: int(row.tokens) for row in self._rows(query.group_by(table.c.day))}
        return tuple((day, found.get(day.isoformat(), 0)) for day in last)

    def totals(self) -> tuple[ModelUsage, ...]:
        """The usage of all days, by course and model."""
        return self._sums()

    def _sums(self, *where: ColumnElement[bool]) -> tuple[ModelUsage, ...]:
        sums = [func.sum(table.c[name]).label(name) for name in _SUMS]
        by = (table.c.course_id, table.c.model)
        query = select(*by, *sums).where(*where).group_by(*by).order_by(*by)
        return tuple(
            ModelUsage(
                course_id=CourseId(row.course_id) if row.course_id else None,
                model=row.model,
                **{name: int(getattr(row, name)) for name in _SUMS},
            )
            for row in self._rows(query)
        )


def total_of(usages: Sequence[ModelUsage], model: str = "") -> ModelUsage:
    """The sum over courses and models."""
    sums = {name: sum(getattr(usage, name) for usage in usages) for name in _SUMS}
    return ModelUsage(course_id=None, model=model, **sums)


def by_model(usages: Sequence[ModelUsage]) -> tuple[ModelUsage, ...]:
    """The sums of each model over all courses, in order of first use."""
    models = dict.fromkeys(usage.model for usage in usages)
    return tuple(total_of([each for each in usages if each.model == model], model) for model in models)


class BackgroundMeter:
    """`vta.ports.UsageMeter` that hands every note to another one, in order, in a background thread.

    A note that cannot be stored is logged: an answer never fails for its bill.
    """

    def __init__(self, meter: UsageMeter) -> None:
        self._meter = meter
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model-usage")

    def record(self, usage: ModelUsage) -> None:
        """Returns at once."""
        self._thread.submit(self._keep, usage)

    def settled(self, read: Callable[[], T]) -> T:
        """The result of `read` after every note so far is stored."""
        return self._thread.submit(read).result()

    def close(self) -> None:
        """Wait until every note is stored; afterwards none is taken."""
        self._thread.shutdown(wait=True)

    def _keep(self, usage: ModelUsage) -> None:
        try:
            self._meter.record(usage)
        except VtaError as error:
            _log.warning("the usage of the language model could not be stored: %s", error.message)
