"""Whether the guard flagged the question of a turn"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turns", sa.Column("flagged", sa.Boolean, nullable=False, server_default=sa.false()))
    turns = sa.table("turns", sa.column("id"), sa.column("flagged"))
    audit = sa.table("guard_audit", sa.column("turn_id"))
    op.execute(turns.update().where(turns.c.id.in_(sa.select(audit.c.turn_id))).values(flagged=sa.true()))
