"""Alembic's entry: runs the migrations on the connection that `services.store.schema` hands over."""

from __future__ import annotations

from alembic import context

from services.store.schema import VERSION_TABLE
from services.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
