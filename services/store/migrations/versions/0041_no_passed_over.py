"""What an ingest passed over stands in its report alone"""

from __future__ import annotations

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("ingests", "passed_over")
