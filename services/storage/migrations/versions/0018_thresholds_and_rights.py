"""Whether an LTI launch was a teaching assistant's; and no beta of 0, which answered every question directly

Console sessions and tickets from before came from launches whose role is not known: they get the fewer rights,
and the next launch says more.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE courses SET beta = NULL WHERE beta <= 0")
    for table in ("console_sessions", "lti_tickets"):
        column = sa.Column("is_assistant", sa.Boolean, nullable=False, server_default=sa.true())
        op.add_column(table, column)
