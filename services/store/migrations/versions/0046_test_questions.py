"""The test questions of a course with their last runs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import goes_with

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    op.create_table(
        "test_questions",
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("tests", sa.JSON(), nullable=False),
        sa.Column("runs", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("stamp", sa.Text(), nullable=False),
    )
