"""Rows and dataclasses of the same names, each made of the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pytest
from sqlalchemy import JSON, Column, Integer, MetaData, Table, Text, create_engine, insert, select

from services.store.rows import as_row, from_row
from vta.types.courses import CourseId


class Colour(StrEnum):
    """What a part may be."""

    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Something with a field of each kind."""

    id: CourseId
    names: tuple[str, ...]
    colour: Colour
    other: Colour | None = None
    names_or_none: tuple[str, ...] | None = None


TABLE = Table(
    "things",
    MetaData(),
    Column("id", Text),
    Column("names", JSON),
    Column("colour", Text),
    Column("other", Text),
    Column("names_or_none", JSON(none_as_null=True)),
    Column("further", Integer),
)


@pytest.mark.parametrize(
    "thing",
    [
        Thing(id=CourseId("a"), names=("x", "y"), colour=Colour.RED),
        Thing(id=CourseId("b"), names=(), colour=Colour.RED, other=Colour.RED, names_or_none=("z",)),
    ],
)
def test_a_row_gives_back_the_dataclass_that_it_was_made_of(thing: Thing) -> None:
    """Enums and tuples keep their types; further columns are passed over, and what is given counts."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        TABLE.create(connection)
        connection.execute(insert(TABLE).values(**as_row(thing), further=1))
        row = connection.execute(select(TABLE)).one()
        assert from_row(Thing, row) == thing
        assert [type(from_row(Thing, row).names), type(from_row(Thing, row).colour)] == [tuple, Colour]
        assert from_row(Thing, row, names=("n",)).names == ("n",)
    engine.dispose()


def test_a_field_without_a_column_is_an_error() -> None:
    """It is never filled by its default: a column that was not selected would go unseen."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        TABLE.create(connection)
        connection.execute(insert(TABLE).values(id="a", names=[], colour="red"))
        row = connection.execute(select(TABLE.c.id, TABLE.c.names, TABLE.c.colour)).one()
        with pytest.raises(AttributeError, match="other"):
            from_row(Thing, row)
    engine.dispose()
