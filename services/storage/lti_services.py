"""What a platform's mapped course agreed to: members' names, and a score for taking part. Off at first."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Engine, select, update

from services.storage.lti_platforms import LtiContext
from services.storage.rows import from_row
from services.storage.tables import lti_contexts as table
from services.storage.transactions import reading, write
from vta.errors import NotFound
from vta.faults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Whether members' names may be asked for, and after how many questions a student gets the score."""

    names: bool = False
    score_after: int | None = None
    names_url: str | None = None
    """Where the platform tells the members, as its last launch said; None before."""


class SqlLtiServices:
    """Keeps what contexts agreed to; all of it goes with the mapping."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of(self, context: LtiContext) -> Services:
        """What a context agreed to: nothing where it is not mapped."""
        columns = (table.c.names, table.c.score_after, table.c.names_url)
        with reading(self._engine) as connection:
            row = connection.execute(select(*columns).where(*_same(context))).one_or_none()
        if row is None:
            return Services()
        return from_row(Services, row)

    def agree(self, context: LtiContext, *, names: bool, score_after: int | None) -> None:
        """From now on this holds; `NotFound` where the context is not mapped."""
        changed = {"names": names, "score_after": score_after}
        query = update(table).where(*_same(context)).values(changed)
        if not write(self._engine, lambda connection: connection.execute(query).rowcount):
            raise NotFound(Fault("lti.not_mapped", context=context.context_id))

    def remember(self, context: LtiContext, names_url: str) -> None:
        """Keep where the platform tells the members of a context."""
        query = update(table).where(*_same(context)).values(names_url=names_url)

        def action(connection: Connection) -> None:
            connection.execute(query)

        write(self._engine, action)


def _same(context: LtiContext) -> tuple[ColumnElement[bool], ...]:
    return (
        table.c.platform_id == context.platform_id,
        table.c.deployment_id == context.deployment_id,
        table.c.context_id == context.context_id,
    )
