"""FAQ entries with their versions, what became of waiting questions, and the keys of courses"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "faq_entries",
        sa.Column("id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("question_key", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_faq_entries_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_faq_entries")),
        sa.UniqueConstraint("course_id", "question_key", name=op.f("uq_faq_entries_course_id_question_key")),
    )
    op.create_table(
        "faq_versions",
        sa.Column("faq_id", key(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("similar_questions", sa.JSON(), nullable=False),
        sa.Column("negative_questions", sa.JSON(), nullable=False),
        sa.Column("editor", sa.Text(), nullable=False),
        sa.Column("edited_at", moment(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.CheckConstraint("version >= 1", name=op.f("ck_faq_versions_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["faq_id"], ["faq_entries.id"], name=op.f("fk_faq_versions_faq_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("faq_id", "version", name=op.f("pk_faq_versions")),
    )
    op.create_table(
        "course_keys",
        sa.Column("id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", moment(), nullable=False),
        sa.Column("revoked_at", moment(), nullable=True),
        sa.CheckConstraint("role IN ('platform', 'instructor')", name=op.f("ck_course_keys_role")),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_course_keys_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_course_keys")),
    )
    op.add_column("waiting_questions", sa.Column("faq_id", key(), nullable=True))
    op.add_column("waiting_questions", sa.Column("reason", sa.Text(), nullable=True))
    op.add_column("waiting_questions", sa.Column("resolved_at", moment(), nullable=True))
    op.add_column(
        "waiting_questions", sa.Column("seen", sa.Boolean(), nullable=False, server_default=sa.false())
    )
