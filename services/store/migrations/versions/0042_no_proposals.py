"""A language model's explanations of single concepts are not kept any more; it reads whole sections"""

from __future__ import annotations

from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.execute("DELETE FROM documents WHERE path IN ('/graph/proposals', '/graph/supported')")
