"""The weeks of courses, which open on a day; release dates of documents stay as they are"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0050"
down_revision = "0049"


def upgrade() -> None:
    op.create_table(
        "course_weeks",
        sa.Column("course_id", Key, nullable=False),
        sa.Column("path", Key, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("opens", sa.Text(), nullable=False),
        sa.Column("review", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name="fk_course_weeks_course_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", "path", name="pk_course_weeks"),
    )
