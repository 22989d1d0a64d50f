"""Who takes care of a waiting question, what a follow-up asks by itself, messages about it, and its whole place

Follow-ups that wait already keep their own words; pages and headings of earlier turns are not known.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("waiting_questions", sa.Column("assignee", sa.Text))
    op.add_column("waiting_questions", sa.Column("standalone_question", sa.Text))
    op.add_column("turn_facts", sa.Column("page", sa.Integer))
    op.add_column("turn_facts", sa.Column("heading", sa.Text))
    op.create_table(
        "question_messages",
        sa.Column("question_id", key(), nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('note', 'reply', 'question', 'student')", name=op.f("ck_question_messages_kind")
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["waiting_questions.id"],
            name=op.f("fk_question_messages_question_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("question_id", "number", name=op.f("pk_question_messages")),
    )
