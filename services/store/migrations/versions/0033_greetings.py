"""How the sidebar of a course greets, and the questions that it offers to begin with"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    op.add_column("course_embeddings", sa.Column("greeting", sa.Text()))
    starters = sa.Column("starters", sa.JSON(), nullable=False, server_default="[]")
    op.add_column("course_embeddings", starters)
