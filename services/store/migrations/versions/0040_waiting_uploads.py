"""Uploads that wait for a yes, so that every server finds them"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.create_table(
        "waiting_uploads",
        sa.Column("id", Key, nullable=False),
        sa.Column("course_id", Key, nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name="fk_waiting_uploads_course_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_waiting_uploads"),
    )
    for column in ("course_id", "made_at"):
        op.create_index(f"ix_waiting_uploads_{column}", "waiting_uploads", [column])
    op.create_table(
        "waiting_files",
        sa.Column("upload_id", Key, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["waiting_uploads.id"], name="fk_waiting_files_upload_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("upload_id", "number", name="pk_waiting_files"),
    )
