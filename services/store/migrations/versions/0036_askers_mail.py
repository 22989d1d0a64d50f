"""Where a student who asked a real TA is written to, and when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    op.add_column("waiting_questions", sa.Column("email", sa.Text()))
    op.add_column("waiting_questions", sa.Column("mail_at", sa.DateTime(timezone=True)))
    op.create_index(op.f("ix_waiting_questions_mail_at"), "waiting_questions", ["mail_at"])
