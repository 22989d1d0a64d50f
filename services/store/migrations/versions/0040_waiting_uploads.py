"""Uploads that wait for a yes, so that every server finds them"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, goes_with

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.create_table(
        "waiting_uploads",
        sa.Column("id", Key, primary_key=True),
        goes_with("course_id", "courses", nullable=False, index=True),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.create_table(
        "waiting_files",
        goes_with("upload_id", "waiting_uploads", primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
    )
