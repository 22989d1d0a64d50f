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
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_id", Key),
        sa.Column("actor_name", sa.Text(), nullable=False),
        sa.Column("course_id", Key),
        sa.Column("person_id", Key),
        sa.Column("person_name", sa.Text()),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_log")),
    )
    for column in ("at", "course_id"):
        op.create_index(op.f(f"ix_audit_log_{column}"), "audit_log", [column])
