"""The weeks of courses, which open on a day; release dates of documents stay as they are"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, goes_with

revision = "0050"
down_revision = "0049"


def upgrade() -> None:
    op.create_table(
        "course_weeks",
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("path", Key, primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("opens", sa.Text(), nullable=False),
        sa.Column("review", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
