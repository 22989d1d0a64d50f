"""Whether the reason of a rejected question was written for its asker to read

Reasons from before were written for the course's staff, and stay theirs.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    public = sa.Column("reason_is_public", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("waiting_questions", public)
