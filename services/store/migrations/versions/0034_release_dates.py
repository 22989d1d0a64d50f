"""When a document is released to students, and whether it waits for that"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    for table in ("documents", "removed_documents"):
        op.add_column(table, sa.Column("release_at", sa.DateTime(timezone=True)))
        op.add_column(table, sa.Column("waits", sa.Boolean(), nullable=False, server_default=sa.false()))
