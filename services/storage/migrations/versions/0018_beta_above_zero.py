"""A beta of 0 answered every question directly: such courses take the platform's"""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE courses SET beta = NULL WHERE beta <= 0")
