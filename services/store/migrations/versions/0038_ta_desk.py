"""Whose account takes care of a waiting question, its group by hand, who opened it, templates of answers"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, goes_with

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    for column in ("assignee_id", "group_id"):
        op.add_column("waiting_questions", sa.Column(column, Key))
    op.create_table(
        "question_readers",
        goes_with("question_id", "waiting_questions", primary_key=True),
        sa.Column("reader", Key, primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "answer_templates",
        sa.Column("id", Key, primary_key=True),
        goes_with("course_id", "courses", nullable=False, index=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
