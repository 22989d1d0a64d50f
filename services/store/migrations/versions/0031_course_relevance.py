"""How sure an answer of a course has to be, where its instructors say so"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.add_column("courses", sa.Column("relevance", sa.Float()))
