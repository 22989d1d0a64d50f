"""The websites of courses that are read again by themselves"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, goes_with

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.create_table(
        "course_sites",
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("address", Key, primary_key=True),
        sa.Column("every", sa.Text(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True)),
        sa.Column("stamp", sa.Text(), nullable=False, server_default=""),
        sa.Column("changes", sa.JSON()),
        sa.Column("fault", sa.JSON()),
        sa.Column("tells_fault", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("plan", Key, sa.ForeignKey("waiting_uploads.id", ondelete="SET NULL"), index=True),
    )
