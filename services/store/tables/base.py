"""Column types, and the metadata that names constraints."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, DateTime, ForeignKey, MetaData, Table, Text, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import SchemaItem

Key = Text().with_variant(Text(collation="C"), "postgresql")
"""A text that orders by code point on every database."""


def goes_with(name: str, owners: str, **options: Any) -> Column[str]:
    """A column with the id of a row of another table, with which the row that has it is deleted."""
    return Column(name, Key, ForeignKey(f"{owners}.id", ondelete="CASCADE"), **options)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: written in UTC, read with its time zone also where the database keeps none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def table(name: str, *parts: SchemaItem) -> Table:
    """A table of the store, by its columns and constraints."""
    return Table(name, metadata, *parts)
