"""Secrets that this store makes for itself, once."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage.tables import store_secrets as table
from services.storage.transactions import reading, write


class SqlStoreSecrets:
    """Gives a secret by its name; whoever asks first makes it, and every process of a store has the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def secret(self, name: str) -> bytes:
        """256 random bits."""
        return bytes.fromhex(self.text(name, lambda: secrets.token_hex(32)))

    def forget(self, name: str) -> None:
        """Let the next who asks make another; what the old one signed holds no more."""
        query = delete(table).where(table.c.name == name)
        write(self._engine, lambda connection: connection.execute(query))

    def text(self, name: str, make: Callable[[], str]) -> str:
        """A secret of another form; `make` is called only where there is none yet."""
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
            connection.execute(insert(table).values(name=name, value=made))
            return made

        return write(self._engine, action)
