"""The sentence of a course that students read where it holds no answer"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("courses", sa.Column("refusal", sa.Text()))
