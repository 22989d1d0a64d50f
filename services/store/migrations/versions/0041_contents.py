"""The files that the tables of contents of a course name, in order"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    for table in ("documents", "removed_documents"):
        op.add_column(table, sa.Column("contents", sa.JSON(), nullable=False, server_default="[]"))
