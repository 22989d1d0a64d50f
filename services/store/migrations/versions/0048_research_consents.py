"""The study of a course, and which learners let it use their conversations"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key, UtcDateTime, goes_with

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    op.add_column("course_embeddings", sa.Column("research", sa.Text()))
    op.create_table(
        "research_consents",
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("learner_id", Key, primary_key=True),
        sa.Column("given", sa.Boolean(), nullable=False),
        sa.Column("study", sa.Text(), nullable=False),
        sa.Column("decided_at", UtcDateTime(), nullable=False),
    )
