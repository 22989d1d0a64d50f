"""Registration links of LTI platforms, the courses they share, and what a mapped course lets the tool ask for"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0024"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def to_platform(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_platform_id")
    return sa.ForeignKeyConstraint(["platform_id"], ["lti_platforms.id"], name=name, ondelete="CASCADE")


def to_course(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_course_id")
    return sa.ForeignKeyConstraint(["course_id"], ["courses.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "lti_invitations",
        sa.Column("digest", key(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_lti_invitations")),
    )
    op.create_table(
        "lti_shared_courses",
        sa.Column("platform_id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        to_platform("lti_shared_courses"),
        to_course("lti_shared_courses"),
        sa.PrimaryKeyConstraint("platform_id", "course_id", name=op.f("pk_lti_shared_courses")),
    )
    op.create_table(
        "lti_scores",
        sa.Column("platform_id", key(), nullable=False),
        sa.Column("lineitem", key(), nullable=False),
        sa.Column("subject", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("learner_id", sa.Text(), nullable=False),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True)),
        sa.Column("tries", sa.Integer(), nullable=False),
        to_platform("lti_scores"),
        to_course("lti_scores"),
        sa.PrimaryKeyConstraint("platform_id", "lineitem", "subject", name=op.f("pk_lti_scores")),
    )
    op.create_index(op.f("ix_lti_scores_next_at"), "lti_scores", ["next_at"])
    op.add_column("lti_contexts", sa.Column("names", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("lti_contexts", sa.Column("score_after", sa.Integer))
    op.add_column("lti_contexts", sa.Column("names_url", sa.Text))
    op.add_column("lti_tickets", sa.Column("deep_linking", sa.JSON))
