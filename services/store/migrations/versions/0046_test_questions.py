"""The test questions of a course with their last runs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    op.create_table(
        "test_questions",
        sa.Column("course_id", Key, nullable=False),
        sa.Column("tests", sa.JSON(), nullable=False),
        sa.Column("runs", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("stamp", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name="fk_test_questions_course_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", name="pk_test_questions"),
    )
