"""Secrets that this store makes for itself, once."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, Engine, insert, select

from services.storage.tables import store_secrets as table
from services.storage.transactions import reading, write
from vta.ports import Clock


class SqlStoreSecrets:
    """Gives a secret by its name; whoever asks first makes it, and all processes see the same."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def secret(self, name: str, make: Callable[[], str]) -> str:
        """The secret of this name; `make` is called only where there is none yet."""
        query = select(table.c.value).where(table.c.name == name)
        with reading(self._engine) as connection:
            found = connection.execute(query).scalar_one_or_none()
        if found is not None:
            return str(found)
        made = make()

        def action(connection: Connection) -> str:
            earlier = connection.execute(query).scalar_one_or_none()
            if earlier is not None:
                return str(earlier)
            connection.execute(insert(table).values(name=name, value=made, created_at=self._clock.now()))
            return made

        return write(self._engine, action)
