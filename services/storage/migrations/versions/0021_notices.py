"""Who is told of new questions for the TAs, how often, and when next"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "course_notices",
        sa.Column("course_id", key(), nullable=False),
        sa.Column("recipients", sa.JSON(), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("tells_platform", sa.Boolean(), nullable=False),
        sa.Column("told_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint("pace IN ('at_once', 'daily')", name=op.f("ck_course_notices_pace")),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_course_notices_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", name=op.f("pk_course_notices")),
    )
    op.create_index(op.f("ix_course_notices_next_at"), "course_notices", ["next_at"])
