"""The facts of a course on dates, rules and people, with its time zone"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.create_table(
        "course_facts",
        sa.Column("course_id", Key, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("dismissed", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name="fk_course_facts_course_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", name="pk_course_facts"),
    )
