"""Rows in every table of the store, made from the tables themselves, so that a new one is filled, too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Engine,
    Float,
    Integer,
    LargeBinary,
    Table,
    insert,
    update,
)

from services.store.tables import metadata

ROWS = 3
_FIXED: Mapping[str, Mapping[str, object]] = {
    "console_sessions": {"platform_id": None, "person_id": None},
    "courses": {"language": "zh"},
    "documents": {"held": []},
}
"""What no column tells of itself: one of two is empty, a language is one that is known, `held` has pairs."""


def fill(engine: Engine, prefix: str = "") -> None:
    """Three rows in every table; the second has nothing where nothing is allowed."""
    made: dict[str, list[Mapping[str, Any]]] = {}
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            rows = made[table.name] = [_row(table, number, made, prefix) for number in range(1, ROWS + 1)]
            if table.name == "store_state":
                connection.execute(update(table).values(revision=41))
            else:
                connection.execute(insert(table), rows)


def _row(
    table: Table, number: int, made: Mapping[str, list[Mapping[str, Any]]], prefix: str
) -> dict[str, Any]:
    return {column.name: _value(table, column, number, made, prefix) for column in table.columns}


def _value(
    table: Table, column: Column[Any], number: int, made: Mapping[str, list[Mapping[str, Any]]], prefix: str
) -> Any:
    fixed = _FIXED.get(table.name, {})
    if column.name in fixed:
        return fixed[column.name]
    if column.nullable and number == 2 and None not in fixed.values():
        return None
    for key in column.foreign_keys:
        return made[key.column.table.name][number - 1][key.column.name]
    allowed = _allowed(table, column.name)
    if allowed:
        return allowed[number % len(allowed)]
    return _of_kind(column, number, prefix)


def _of_kind(column: Column[Any], number: int, prefix: str) -> Any:
    kind = column.type
    if isinstance(kind, JSON):
        return [] if number == 2 else [{"id": f"{prefix}p{number}", "深度": 0.1 * number, "none": None}]
    if isinstance(kind, Boolean):
        return number % 2 == 0
    if isinstance(kind, Integer):
        return number
    if isinstance(kind, Float):
        return number / 3
    if isinstance(kind, LargeBinary):
        return bytes([0, 255, number])
    if isinstance(getattr(kind, "impl", kind), DateTime):
        return datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC) + timedelta(days=number)
    return f"{prefix}{column.name} 号{number}\n\"'\u2028\U0001f600"


def _allowed(table: Table, column: str) -> list[str]:
    for constraint in table.constraints:
        if isinstance(constraint, CheckConstraint):
            found = re.fullmatch(rf"{column} IN \((.*)\)", str(constraint.sqltext))
            if found:
                return re.findall(r"'([^']*)'", found[1])
    return []
