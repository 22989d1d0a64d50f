"""What a language model said of the passages of a course, by the digest of their text"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, goes_with

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.create_table(
        "enrichments",
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("digest", Key, primary_key=True),
        sa.Column("questions", sa.JSON(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("languages", sa.JSON(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Integer(), nullable=False),
    )
