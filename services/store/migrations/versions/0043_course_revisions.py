"""The revision of a course, which rises with its own changes alone"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.add_column("courses", sa.Column("revision", sa.Integer(), nullable=False, server_default="0"))
