"""The outbox: which pairs each revision changed"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("path", key(), nullable=False),
        sa.Column("put", sa.JSON(), nullable=False),
        sa.Column("removed", sa.JSON(), nullable=False),
        sa.Column("concepts", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("revision", "course_id", "path", name=op.f("pk_outbox")),
    )
