"""The TAs who opened waiting questions lately, so that no two answer the same one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, or_, select

from services.store.tables import question_readers as table
from services.store.transactions import ClockedStore, write
from vta.types.inbox import Ta, WaitingQuestion

SHOWN_FOR = timedelta(minutes=10)
"""How long an opening is shown; the page may be closed by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOpening:
    """A TA who opened a question, and the time of the last opening."""

    name: str
    opened_at: datetime


class SqlQuestionReaders(ClockedStore):
    """Stores who opened questions; it locks nothing, and deletes what is not shown any more."""

    def note(self, question_ids: Sequence[str], ta: Ta) -> None:
        """Store that a TA opened these questions now."""
        now = self._clock.now()
        again = (table.c.reader == ta.key) & table.c.question_id.in_(question_ids)
        opened = {"reader": ta.key, "name": ta.name, "opened_at": now}

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(or_(again, table.c.opened_at < now - SHOWN_FOR)))
            connection.execute(insert(table), [{"question_id": each, **opened} for each in question_ids])

        write(self._engine, action)

    def others(
        self, groups: Sequence[Sequence[WaitingQuestion]], me: Ta
    ) -> Mapping[str, tuple[QuestionOpening, ...]]:
        """The other TAs who opened a question of each group lately, by the id of its first question."""
        first = {each.id: group[0].id for group in groups for each in group}
        query = select(table).where(
            table.c.question_id.in_(first),
            table.c.reader != me.key,
            table.c.opened_at >= self._clock.now() - SHOWN_FOR,
        )
        found = defaultdict[str, dict[str, QuestionOpening]](dict)
        for row in self._rows(query.order_by(table.c.opened_at)):
            found[first[row.question_id]][row.reader] = QuestionOpening(
                name=row.name, opened_at=row.opened_at
            )
        return {group[0].id: tuple(found[group[0].id].values()) for group in groups}
