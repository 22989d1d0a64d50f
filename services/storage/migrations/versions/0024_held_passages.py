"""Passages that are switched off, faulty parts of documents, and documents that were removed"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    for name in ("held", "switched_off", "problems"):
        op.add_column("documents", sa.Column(name, sa.JSON, nullable=False, server_default=sa.text("'[]'")))
    op.create_table(
        "removed_documents",
        sa.Column("course_id", key(), nullable=False),
        sa.Column("path", key(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("pairs", "concepts", "edges")),
        sa.Column("stored_at", sa.DateTime(timezone=True)),
        *(sa.Column(name, sa.JSON(), nullable=False) for name in ("held", "switched_off", "problems")),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_removed_documents_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", "path", name=op.f("pk_removed_documents")),
    )
    op.create_index(op.f("ix_removed_documents_removed_at"), "removed_documents", ["removed_at"])
