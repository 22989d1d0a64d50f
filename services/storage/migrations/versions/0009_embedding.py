"""What lets other sites embed the sidebar: origins and choices of a course, and the key that signs tokens"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "course_embeddings",
        sa.Column("course_id", key(), nullable=False),
        sa.Column("origins", sa.JSON(), nullable=False),
        sa.Column("hints", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_course_embeddings_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", name=op.f("pk_course_embeddings")),
    )
    op.create_table(
        "signing_keys",
        sa.Column("purpose", key(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("purpose", name=op.f("pk_signing_keys")),
    )
