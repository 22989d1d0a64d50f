"""What a language model said of the passages of a course, by the digest of their text"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.create_table(
        "enrichments",
        sa.Column("course_id", Key, nullable=False),
        sa.Column("digest", Key, nullable=False),
        sa.Column("questions", sa.JSON(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("languages", sa.JSON(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("course_id", "digest", name=op.f("pk_enrichments")),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_enrichments_course_id"), ondelete="CASCADE"
        ),
    )
