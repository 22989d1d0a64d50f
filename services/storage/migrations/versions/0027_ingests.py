"""How far the ingests of all processes are, so that any of them can tell"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "ingests",
        sa.Column("id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("report", sa.JSON()),
        sa.Column("fault", sa.JSON()),
        sa.Column("passed_over", sa.JSON(), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("alive_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_ingests_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ingests")),
    )
    op.create_index(op.f("ix_ingests_course_id"), "ingests", ["course_id"])
    op.create_index(op.f("ix_ingests_begun_at"), "ingests", ["begun_at"])
