"""What the language model cost, in the relational store."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from services.store.tables import model_usage as table
from services.store.transactions import ClockedStore, write
from vta.types.courses import CourseId
from vta.types.language_model import ModelUsage

SUMS = ("calls", "uncounted", "prompt_tokens", "completion_tokens")


class SqlModelUsage(ClockedStore):
    """The port `UsageMeter`, and the sums over all days."""

    def record(self, usage: ModelUsage) -> None:
        """As the port says; the day is that of UTC."""
        key = {
            "day": self._clock.now().astimezone(UTC).date().isoformat(),
            "course_id": usage.course_id or "",
            "model": usage.model,
        }
        added = {name: getattr(usage, name) for name in SUMS}

        def action(connection: Connection) -> None:
            more = {name: table.c[name] + value for name, value in added.items()}
            if not connection.execute(update(table).filter_by(**key).values(more)).rowcount:
                connection.execute(insert(table).values(**key, **added))

        write(self._engine, action)

    def of_days(self, course_ids: Collection[CourseId], first: date, last: date) -> tuple[ModelUsage, ...]:
        """What courses have used of each model on these days of UTC, both included, by course and model."""
        days = table.c.day.between(first.isoformat(), last.isoformat())
        return self._sums(table.c.course_id.in_(course_ids), days)

    def tokens_today(self, course_id: CourseId) -> int:
        """Of prompts and answers, by all models, since the day of UTC began."""
        today = self._clock.now().astimezone(UTC).date()
        return sum(
            each.prompt_tokens + each.completion_tokens for each in self.of_days([course_id], today, today)
        )

    def totals(self) -> tuple[ModelUsage, ...]:
        """What each course has used of each model over all days, by course and model."""
        return self._sums()

    def _sums(self, *where: ColumnElement[bool]) -> tuple[ModelUsage, ...]:
        sums = [func.sum(table.c[name]).label(name) for name in SUMS]
        by = (table.c.course_id, table.c.model)
        query = select(*by, *sums).where(*where).group_by(*by).order_by(*by)
        return tuple(
            ModelUsage(
                course_id=CourseId(row.course_id) if row.course_id else None,
                model=row.model,
                **{name: int(getattr(row, name)) for name in SUMS},
            )
            for row in self._rows(query)
        )
