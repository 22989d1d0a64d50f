"""The websites of courses that are read again by themselves"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.create_table(
        "course_sites",
        sa.Column("course_id", Key, nullable=False),
        sa.Column("address", Key, nullable=False),
        sa.Column("every", sa.Text(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True)),
        sa.Column("stamp", sa.Text(), nullable=False, server_default=""),
        sa.Column("changes", sa.JSON()),
        sa.Column("fault", sa.JSON()),
        sa.Column("tells_fault", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("plan", Key),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name="fk_course_sites_course_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["plan"], ["waiting_uploads.id"], name="fk_course_sites_plan", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("course_id", "address", name="pk_course_sites"),
    )
    op.create_index("ix_course_sites_plan", "course_sites", ["plan"])
