"""Webhooks and e-mail notices of courses, and their outbox."""

from __future__ import annotations

import sqlalchemy as sa

from services.store.tables.base import Key, UtcDateTime, goes_with, table

course_webhooks = table(
    "course_webhooks",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("url", sa.Text),
    sa.Column("secret", sa.Text),
)

webhook_deliveries = table(
    "webhook_deliveries",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", Key, nullable=False, unique=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("faq_id", Key),
    sa.Column("version", sa.Integer),
    sa.Column("question_ids", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("next_try_at", UtcDateTime, nullable=False),
    sa.Column("claim", sa.Text),
    sa.Column("claimed_until", UtcDateTime),
    sa.Column("tried_at", UtcDateTime),
    sa.Column("status", sa.Integer),
    sa.Column("reason", sa.Text),
    sa.Column("facts", sa.JSON(none_as_null=True)),
    sa.CheckConstraint("state IN ('waiting', 'delivered', 'failed')", name="state"),
    sa.Index(None, "state", "course_id", "number"),
)
"""Messages to platforms, written in the transaction of their cause and ordered by number."""

course_notices = table(
    "course_notices",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("recipients", sa.JSON, nullable=False),
    sa.Column("pace", sa.Text, nullable=False),
    sa.Column("hour", sa.Integer, nullable=False),
    sa.Column("tells_platform", sa.Boolean, nullable=False),
    sa.Column("told_until", UtcDateTime, nullable=False),
    sa.Column("next_at", UtcDateTime),
    sa.CheckConstraint("pace IN ('at_once', 'daily')", name="pace"),
    sa.Index(None, "next_at"),
)
"""Recipients of notices about new questions, the last notice and the time of the next one."""
