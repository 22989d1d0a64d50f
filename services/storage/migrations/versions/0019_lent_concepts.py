"""Which courses lend their concepts and use lent ones; none do at first"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("shares_concepts", "takes_concepts", "is_platform_graph"):
        op.add_column("courses", sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))
