"""Categories and states of FAQ entries, what was changed at once, and which entry an answer rests on

Entries from before are live and have no category; answers from before do not count for an entry.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("faq_versions", sa.Column("category", sa.Text(), nullable=False, server_default=""))
    op.add_column("faq_versions", sa.Column("state", sa.Text(), nullable=False, server_default="live"))
    op.add_column("faq_versions", sa.Column("batch_id", key()))
    op.create_index(op.f("ix_faq_versions_batch_id"), "faq_versions", ["batch_id"])
    op.add_column("turn_facts", sa.Column("faq_id", key()))
    op.create_index(op.f("ix_turn_facts_course_id_faq_id"), "turn_facts", ["course_id", "faq_id"])
    op.create_table(
        "faq_batches",
        sa.Column("id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("editor", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("added", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_faq_batches_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_faq_batches")),
    )
    op.create_index(op.f("ix_faq_batches_course_id_made_at"), "faq_batches", ["course_id", "made_at"])
