"""Courses, their documents, and sessions with turns, thumbs and questions for the TA"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def upgrade() -> None:
    state = op.create_table(
        "store_state",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_store_state_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store_state")),
    )
    op.bulk_insert(state, [{"id": 1, "revision": 0}])
    op.create_table(
        "courses",
        sa.Column("id", key(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("domains", sa.JSON(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_courses")),
    )
    op.create_table(
        "documents",
        sa.Column("course_id", key(), nullable=False),
        sa.Column("path", key(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("pairs", sa.JSON(), nullable=False),
        sa.Column("concepts", sa.JSON(), nullable=False),
        sa.Column("edges", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_documents_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", "path", name=op.f("pk_documents")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("learner_id", key(), nullable=True),
        sa.Column("created_at", moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_sessions_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_course_id_learner_id"), "sessions", ["course_id", "learner_id"])
    op.create_table(
        "turns",
        sa.Column("id", key(), nullable=False),
        sa.Column("session_id", key(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", moment(), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_turns_counts_from_one")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name=op.f("fk_turns_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
        sa.UniqueConstraint("session_id", "number", name=op.f("uq_turns_session_id_number")),
    )
    op.create_table(
        "feedback",
        sa.Column("turn_id", key(), nullable=False),
        sa.Column("rating", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("created_at", moment(), nullable=False),
        sa.CheckConstraint("rating IN ('up', 'down')", name=op.f("ck_feedback_rating")),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.id"], name=op.f("fk_feedback_turn_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_feedback")),
    )
    op.create_table(
        "waiting_questions",
        sa.Column("id", key(), nullable=False),
        sa.Column("turn_id", key(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", moment(), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'answered', 'rejected')", name=op.f("ck_waiting_questions_state")
        ),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.id"], name=op.f("fk_waiting_questions_turn_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waiting_questions")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_waiting_questions_turn_id")),
    )
