"""Dataclasses as rows and rows as dataclasses, where the columns are called as the fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from enum import Enum, EnumType
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def as_row(each: Any) -> dict[str, Any]:
    """The fields of a dataclass as columns: an enum by its value, a tuple as a list."""
    return {field.name: _column(getattr(each, field.name)) for field in fields(each)}


def from_row(kind: Callable[..., T], row: Any, **given: Any) -> T:
    """A dataclass of the columns that are called as its fields, but for the fields `given`."""
    columns = {name: read(getattr(row, name)) for name, read in _readers(kind) if name not in given}
    return kind(**columns, **given)


def _column(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


@cache
def _readers(kind: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, _reader(hints[field.name])) for field in fields(kind))


def _reader(hint: Any) -> Callable[[Any], Any]:
    """The conversion of a column to a type; NULL stays None."""
    parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    for part in parts:
        if isinstance(part, EnumType) or get_origin(part) is tuple:
            make: Callable[[Any], Any] = part if isinstance(part, EnumType) else tuple
            return lambda value: None if value is None else make(value)
    return lambda value: value
