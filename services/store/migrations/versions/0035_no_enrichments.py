"""What a language model said of passages is not kept any more; passages are found by their own words"""

from __future__ import annotations

from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.drop_table("enrichments")
