"""The facts of a course on dates, rules and people, with its time zone"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import goes_with

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.create_table(
        "course_facts",
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("dismissed", sa.JSON(), nullable=False),
    )
