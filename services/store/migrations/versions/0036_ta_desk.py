"""Whose account takes care of a waiting question"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0036"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("waiting_questions", sa.Column("assignee_id", Key))
