"""Who made a key, so that it is revoked with their rights"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from services.store.tables.base import Key

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.add_column("course_keys", sa.Column("maker_id", Key))
