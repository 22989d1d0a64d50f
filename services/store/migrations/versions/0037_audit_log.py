"""Who changed what and who logged in"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.create_table(
        "audit_log",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_id", Key),
        sa.Column("actor_name", sa.Text(), nullable=False),
        sa.Column("course_id", Key, index=True),
        sa.Column("person_id", Key),
        sa.Column("person_name", sa.Text()),
        sa.Column("detail", sa.Text(), nullable=False),
    )
