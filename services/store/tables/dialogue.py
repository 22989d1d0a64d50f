"""What was asked and answered, what students and TAs made of it, and what it cost.

Turns keep their answer as the JSON of `services.rendering.answer_json`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from services.store.tables.base import Key, UtcDateTime, goes_with, metadata

sessions = Table(
    "sessions",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("learner_id", Key),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "course_id", "learner_id"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("session_id", "sessions", nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("flagged", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("session_id", "number"),
    CheckConstraint("number >= 1", name="counts_from_one"),
)

turn_facts = Table(
    "turn_facts",
    metadata,
    goes_with("turn_id", "turns", primary_key=True),
    Column("course_id", Key, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("session_id", Key, nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("route", Text, nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("milliseconds", Float, nullable=False),
    Column("concepts", JSON, nullable=False),
    Column("unit", Text),
    Column("video", Text),
    Column("second", Float),
    Column("page", Integer),
    Column("heading", Text),
    Column("faq_id", Key),
    Index(None, "course_id", "asked_at"),
    Index(None, "course_id", "faq_id"),
)
"""What analytics read of a turn, apart from its long answer: written with the turn, and goes with it."""

feedback = Table(
    "feedback",
    metadata,
    goes_with("turn_id", "turns", primary_key=True),
    Column("rating", Text, nullable=False),
    Column("reason", Text),
    Column("comment", Text),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("rating IN ('up', 'down')", name="rating"),
    Index(None, "rating", "created_at"),
)

waiting_questions = Table(
    "waiting_questions",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("turn_id", "turns", nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("faq_id", Key),
    Column("reason", Text),
    Column("resolved_at", UtcDateTime),
    Column("seen", Boolean, nullable=False, server_default=false()),
    Column("reason_is_public", Boolean, nullable=False, server_default=false()),
    Column("assignee", Text),
    Column("standalone_question", Text),
    Column("email", Text),
    Column("mail_at", UtcDateTime),
    Column("assignee_id", Key),
    Column("group_id", Key),
    CheckConstraint("state IN ('waiting', 'answered', 'rejected')", name="state"),
    Index(None, "mail_at"),
)
"""`email` is where the asker is told of the answer at `mail_at`, unless they have seen it before."""

question_messages = Table(
    "question_messages",
    metadata,
    goes_with("question_id", "waiting_questions", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("kind IN ('note', 'reply', 'question', 'student')", name="kind"),
)
"""What TAs noted about a waiting question, and what was written to and by the student who asked it."""

question_readers = Table(
    "question_readers",
    metadata,
    goes_with("question_id", "waiting_questions", primary_key=True),
    Column("reader", Key, primary_key=True),
    Column("name", Text, nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
)
"""Which TAs opened a waiting question in the last minutes."""

answer_templates = Table(
    "answer_templates",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "course_id"),
)
"""Texts that the TAs of a course answer with again."""

answer_reviews = Table(
    "answer_reviews",
    metadata,
    goes_with("turn_id", "turns", primary_key=True),
    Column("mark", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("reviewed_at", UtcDateTime, nullable=False),
    CheckConstraint("mark IN ('good', 'partly', 'bad')", name="mark"),
)

guard_audit = Table(
    "guard_audit",
    metadata,
    goes_with("turn_id", "turns", primary_key=True),
    Column("kind", Text, nullable=False),
    Column("malicious", Float, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)
"""Turns that were answered on the tightened path; their words are in the turn, and go with it."""

model_usage = Table(
    "model_usage",
    metadata,
    Column("day", Text, primary_key=True),
    Column("course_id", Key, primary_key=True),
    Column("model", Key, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("uncounted", Integer, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
)
"""Sums a day in UTC; the course is empty for calls made for none. The bill outlives its course."""
