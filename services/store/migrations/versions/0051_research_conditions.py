"""The versions by which each turn was answered, the marks of a second person, and experiments"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"


def upgrade() -> None:
    for name in ("program", "prompts", "model"):
        op.add_column("turn_facts", sa.Column(name, sa.Text()))
    op.add_column("turn_facts", sa.Column("revision", sa.Integer()))
    for name in ("experiment", "arm"):
        op.add_column("turn_facts", sa.Column(name, sa.Text()))
    for name in ("experiment", "experiment_setting", "experiment_value"):
        op.add_column("course_embeddings", sa.Column(name, sa.Text()))
    for name in ("second_mark", "second_note", "second_reviewer"):
        op.add_column("answer_reviews", sa.Column(name, sa.Text()))
