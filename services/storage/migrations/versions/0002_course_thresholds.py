"""The thresholds learned for a course"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("courses", sa.Column("alpha", sa.Float()))
    op.add_column("courses", sa.Column("beta", sa.Float()))
