"""Who made an invitation or a password link; links made before, of which that is unknown, are withdrawn"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, goes_with

revision = "0030"
down_revision = "0029"


def made(table: str, *columns: sa.Column[Any] | sa.CheckConstraint) -> None:
    """A table of links in the place of the one that is there."""
    op.drop_table(table)
    op.create_table(
        table,
        sa.Column("digest", Key, primary_key=True),
        *columns,
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        goes_with("maker_id", "people"),
        goes_with("key_id", "course_keys"),
    )


def upgrade() -> None:
    made(
        "invitations",
        goes_with("course_id", "courses", nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("role", "name", "email", "invited_by")),
        sa.CheckConstraint("role IN ('instructor', 'ta')", name="role"),
    )
    made(
        "password_links",
        goes_with("person_id", "people", nullable=False),
        goes_with("course_id", "courses"),
    )
