"""How much waits, over all courses."""

from __future__ import annotations

from sqlalchemy import Engine, func, select

from services.storage.tables import waiting_questions, webhook_deliveries
from services.storage.transactions import reading


class SqlBacklog:
    """Counts for those who watch the platform."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def counts(self) -> tuple[int, int]:
        """Questions that wait for a TA, and notifications to platforms that were not delivered yet."""
        with reading(self._engine) as connection:
            questions, deliveries = (
                connection.execute(select(func.count()).where(table.c.state == "waiting")).scalar_one()
                for table in (waiting_questions, webhook_deliveries)
            )
        return int(questions), int(deliveries)
