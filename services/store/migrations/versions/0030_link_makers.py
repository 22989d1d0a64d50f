"""Who made an invitation or a password link; links made before, of which that is unknown, are withdrawn"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0030"
down_revision = "0029"


def owned(table: str, column: str, owner: str, nullable: bool = False) -> tuple[Any, Any]:
    """A column that names a row of another table, and goes with it."""
    name = op.f(f"fk_{table}_{column}")
    constraint = sa.ForeignKeyConstraint([column], [owner], name=name, ondelete="CASCADE")
    return sa.Column(column, Key, nullable=nullable), constraint


def made(table: str, *columns: Any) -> None:
    """A table of links in the place of the one that is there."""
    op.drop_table(table)
    op.create_table(
        table,
        sa.Column("digest", Key, nullable=False),
        *columns,
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        *owned(table, "maker_id", "people.id", nullable=True),
        *owned(table, "key_id", "course_keys.id", nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f(f"pk_{table}")),
    )


def upgrade() -> None:
    made(
        "invitations",
        *owned("invitations", "course_id", "courses.id"),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("role", "name", "email", "invited_by")),
        sa.CheckConstraint("role IN ('instructor', 'ta')", name=op.f("ck_invitations_role")),
    )
    made(
        "password_links",
        *owned("password_links", "person_id", "people.id"),
        *owned("password_links", "course_id", "courses.id", nullable=True),
    )
