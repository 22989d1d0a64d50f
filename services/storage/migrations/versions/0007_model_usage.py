"""What the language model cost, by day, course and model"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "model_usage",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("model", key(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("uncounted", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "course_id", "model", name=op.f("pk_model_usage")),
    )
