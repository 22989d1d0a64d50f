"""Which turns the guard flagged, in the relational store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine, insert, select

from services.storage.rows import from_row
from services.storage.tables import guard_audit as table
from services.storage.tables import sessions, turns
from services.storage.transactions import reading, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.ports import Clock
from vta.types import CourseId, Suspicion, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedTurn:
    """A note of the guard; the question is that of the turn."""

    turn_id: TurnId
    kind: str
    malicious: float
    question: str
    created_at: datetime


class SqlGuardAudit:
    """The port `GuardAudit`, and what an instructor reads."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def flagged(self, turn_id: TurnId, suspicion: Suspicion) -> None:
        """As the port says; a turn is noted once."""
        values = {"kind": suspicion.kind or "", "malicious": suspicion.malicious}

        def action(connection: Connection) -> None:
            if connection.execute(select(turns.c.id).where(turns.c.id == turn_id)).first() is None:
                raise NotFound(Fault("session.turn_unknown", turn=turn_id))
            if connection.execute(select(table.c.turn_id).where(table.c.turn_id == turn_id)).first() is None:
                connection.execute(
                    insert(table).values(turn_id=turn_id, created_at=self._clock.now(), **values)
                )

        write(self._engine, action)

    def of_course(self, course_id: CourseId) -> tuple[FlaggedTurn, ...]:
        """The flagged turns of a course, oldest first."""
        joined = table.join(turns).join(sessions)
        query = select(table, turns.c.question).select_from(joined)
        in_course = query.where(sessions.c.course_id == course_id)
        with reading(self._engine) as connection:
            return tuple(
                from_row(FlaggedTurn, row)
                for row in connection.execute(in_course.order_by(table.c.created_at, table.c.turn_id))
            )
