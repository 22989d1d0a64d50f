"""Where the platforms of courses listen, and the outbox of what they are told"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "course_webhooks",
        sa.Column("course_id", key(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("secret", sa.Text()),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_course_webhooks_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("course_id", name=op.f("pk_course_webhooks")),
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("faq_id", key()),
        sa.Column("version", sa.Integer()),
        sa.Column("question_ids", sa.JSON(), nullable=False),
        sa.Column("created_at", moment(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_at", moment(), nullable=False),
        sa.Column("claim", sa.Text()),
        sa.Column("claimed_until", moment()),
        sa.Column("tried_at", moment()),
        sa.Column("status", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(
            ["course_id"], ["courses.id"], name=op.f("fk_webhook_deliveries_course_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_webhook_deliveries")),
        sa.UniqueConstraint("id", name=op.f("uq_webhook_deliveries_id")),
    )
    op.create_index(
        op.f("ix_webhook_deliveries_state_course_id_number"),
        "webhook_deliveries",
        ["state", "course_id", "number"],
    )
