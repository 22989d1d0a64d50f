"""Whose account takes care of a waiting question, its group by hand, who opened it, templates of answers"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    for column in ("assignee_id", "group_id"):
        op.add_column("waiting_questions", sa.Column(column, Key))
    op.create_table(
        "question_readers",
        sa.Column("question_id", Key, nullable=False),
        sa.Column("reader", Key, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["waiting_questions.id"],
            name="fk_question_readers_question_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("question_id", "reader", name="pk_question_readers"),
    )
    op.create_table(
        "answer_templates",
        sa.Column("id", Key, nullable=False),
        sa.Column("course_id", Key, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name="fk_answer_templates_course_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_answer_templates"),
    )
    op.create_index("ix_answer_templates_course_id", "answer_templates", ["course_id"])
