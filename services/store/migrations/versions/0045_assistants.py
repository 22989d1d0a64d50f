"""The name and the tone of a course's assistant, its language model, and its tokens a day"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    op.add_column("courses", sa.Column("tone", sa.Text()))
    op.add_column("course_embeddings", sa.Column("assistant", sa.Text()))
    op.add_column("course_embeddings", sa.Column("model", sa.Text()))
    op.add_column("course_embeddings", sa.Column("daily_tokens", sa.BigInteger()))
