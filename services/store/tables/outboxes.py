"""Where news of a course goes, and what waits to be sent."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    Table,
    Text,
)

from services.store.tables.base import Key, UtcDateTime, goes_with, metadata

course_webhooks = Table(
    "course_webhooks",
    metadata,
    goes_with("course_id", "courses", primary_key=True),
    Column("url", Text),
    Column("secret", Text),
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Key, nullable=False, unique=True),
    goes_with("course_id", "courses", nullable=False),
    Column("kind", Text, nullable=False),
    Column("faq_id", Key),
    Column("version", Integer),
    Column("question_ids", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_try_at", UtcDateTime, nullable=False),
    Column("claim", Text),
    Column("claimed_until", UtcDateTime),
    Column("tried_at", UtcDateTime),
    Column("status", Integer),
    Column("reason", Text),
    Column("facts", JSON(none_as_null=True)),
    CheckConstraint("state IN ('waiting', 'delivered', 'failed')", name="state"),
    Index(None, "state", "course_id", "number"),
)
"""What platforms are told: written with what it tells of, in order by number."""

course_notices = Table(
    "course_notices",
    metadata,
    goes_with("course_id", "courses", primary_key=True),
    Column("recipients", JSON, nullable=False),
    Column("pace", Text, nullable=False),
    Column("hour", Integer, nullable=False),
    Column("tells_platform", Boolean, nullable=False),
    Column("told_until", UtcDateTime, nullable=False),
    Column("next_at", UtcDateTime),
    CheckConstraint("pace IN ('at_once', 'daily')", name="pace"),
    Index(None, "next_at"),
)
"""Who is told of new questions for the TAs, until when they were, and when they are told next."""
