"""Students who get a score on their platform once they have asked enough, sent until the platform has it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, and_, func, insert, select, update

from services.store.jobs import claim
from services.store.rows import as_row, from_row
from services.store.tables import lti_scores as table
from services.store.tables import sessions, turns
from services.store.transactions import ClockedStore, write
from vta.types.courses import CourseId, PlatformId

MOST_AT_ONCE = 20
MOST_TRIES = 12
CLAIMED = timedelta(minutes=2)
LONGEST_WAIT = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOfLearner:
    """Whose score goes where: `subject` is the platform's own id of the learner."""

    platform_id: PlatformId
    lineitem: str
    subject: str
    course_id: CourseId
    learner_id: str
    questions: int
    """The number of questions to ask."""


class SqlLtiScores(ClockedStore):
    """An outbox of scores. What was sent stays, so that nobody is sent twice, until the learner is erased."""

    def begin(self, score: ScoreOfLearner) -> None:
        """Count a learner's questions from now on; one who is counted already stays as they are."""
        now = self._clock.now()

        known = select(table.c.tries).filter_by(**_key(score))

        def action(connection: Connection) -> None:
            if connection.execute(known).first() is None:
                connection.execute(insert(table).values(**as_row(score), since=now, next_at=now, tries=0))

        if self._scalar(known) is None:
            write(self._engine, action)

    def claim(self) -> tuple[ScoreOfLearner, ...]:
        """The scores that are due, at most `MOST_AT_ONCE`; no other process gets them for `CLAIMED`."""
        now = self._clock.now()
        mine = and_(sessions.c.course_id == table.c.course_id, sessions.c.learner_id == table.c.learner_id)
        asked = (
            select(func.count())
            .select_from(turns.join(sessions, turns.c.session_id == sessions.c.id))
            .where(mine, turns.c.created_at >= table.c.since)
            .scalar_subquery()
        )
        due = select(table).where(table.c.next_at <= now, asked >= table.c.questions).limit(MOST_AT_ONCE)

        def take(connection: Connection, row: Row[Any]) -> ScoreOfLearner:
            score = from_row(ScoreOfLearner, row)
            connection.execute(update(table).filter_by(**_key(score)).values(next_at=now + CLAIMED))
            return score

        return claim(self._engine, due, take)

    def settle(self, score: ScoreOfLearner, *, is_sent: bool) -> None:
        """It was sent, or is tried again after a wait that doubles, at most `MOST_TRIES` times."""
        now = self._clock.now()

        def action(connection: Connection) -> None:
            known = select(table.c.tries).filter_by(**_key(score))
            tries = connection.execute(known).scalar_one_or_none() or 0
            wait = min(timedelta(minutes=2**tries), LONGEST_WAIT)
            is_over = is_sent or tries + 1 >= MOST_TRIES
            changed = {"tries": tries + 1, "next_at": None if is_over else now + wait}
            connection.execute(update(table).filter_by(**_key(score)).values(changed))

        write(self._engine, action)


def _key(score: ScoreOfLearner) -> dict[str, str]:
    return {"platform_id": score.platform_id, "lineitem": score.lineitem, "subject": score.subject}
