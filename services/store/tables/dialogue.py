"""Questions and answers, the reactions of students and TAs, and the costs.

Turns keep their answer as the JSON of `services.rendering.answer_json`.
"""

from __future__ import annotations

import sqlalchemy as sa

from services.store.tables.base import Key, UtcDateTime, goes_with, table

sessions = table(
    "sessions",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("learner_id", Key),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index(None, "course_id", "learner_id"),
)

research_consents = table(
    "research_consents",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("learner_id", Key, primary_key=True),
    sa.Column("given", sa.Boolean, nullable=False),
    sa.Column("study", sa.Text, nullable=False),
    sa.Column("decided_at", UtcDateTime, nullable=False),
)
"""The last decision of each learner on the use of their conversations in the `study`, by its text."""

turns = table(
    "turns",
    sa.Column("id", Key, primary_key=True),
    goes_with("session_id", "sessions", nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("answer", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("flagged", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.UniqueConstraint("session_id", "number"),
    sa.CheckConstraint("number >= 1", name="counts_from_one"),
)

turn_facts = table(
    "turn_facts",
    goes_with("turn_id", "turns", primary_key=True),
    sa.Column("course_id", Key, nullable=False),
    sa.Column("asked_at", UtcDateTime, nullable=False),
    sa.Column("session_id", Key, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("route", sa.Text, nullable=False),
    sa.Column("failed", sa.Boolean, nullable=False),
    sa.Column("milliseconds", sa.Float, nullable=False),
    sa.Column("concepts", sa.JSON, nullable=False),
    sa.Column("unit", sa.Text),
    sa.Column("video", sa.Text),
    sa.Column("second", sa.Float),
    sa.Column("page", sa.Integer),
    sa.Column("heading", sa.Text),
    sa.Column("faq_id", Key),
    sa.Column("program", sa.Text),
    sa.Column("prompts", sa.Text),
    sa.Column("model", sa.Text),
    sa.Column("revision", sa.Integer),
    sa.Column("experiment", sa.Text),
    sa.Column("arm", sa.Text),
    sa.Index(None, "course_id", "asked_at"),
    sa.Index(None, "course_id", "faq_id"),
)
"""The columns of a turn for analytics, without its long answer; written and removed with the turn."""

feedback = table(
    "feedback",
    goes_with("turn_id", "turns", primary_key=True),
    sa.Column("rating", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("comment", sa.Text),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.CheckConstraint("rating IN ('up', 'down')", name="rating"),
    sa.Index(None, "rating", "created_at"),
)

waiting_questions = table(
    "waiting_questions",
    sa.Column("id", Key, primary_key=True),
    goes_with("turn_id", "turns", nullable=False, unique=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("faq_id", Key),
    sa.Column("reason", sa.Text),
    sa.Column("resolved_at", UtcDateTime),
    sa.Column("seen", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("reason_is_public", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("assignee", sa.Text),
    sa.Column("standalone_question", sa.Text),
    sa.Column("email", sa.Text),
    sa.Column("mail_at", UtcDateTime),
    sa.Column("assignee_id", Key),
    sa.Column("group_id", Key),
    sa.CheckConstraint("state IN ('waiting', 'answered', 'rejected')", name="state"),
    sa.Index(None, "mail_at"),
)
"""The asker gets the answer by `email` at `mail_at`, unless they have seen it."""

question_messages = table(
    "question_messages",
    goes_with("question_id", "waiting_questions", primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.CheckConstraint("kind IN ('note', 'reply', 'question', 'student')", name="kind"),
)
"""Notes of TAs about a waiting question, and messages to and from its student."""

question_readers = table(
    "question_readers",
    goes_with("question_id", "waiting_questions", primary_key=True),
    sa.Column("reader", Key, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("opened_at", UtcDateTime, nullable=False),
)
"""TAs who opened a waiting question in the last minutes."""

answer_templates = table(
    "answer_templates",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index(None, "course_id"),
)
"""Texts that the TAs of a course answer with again."""

answer_reviews = table(
    "answer_reviews",
    goes_with("turn_id", "turns", primary_key=True),
    sa.Column("mark", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("reviewer", sa.Text, nullable=False),
    sa.Column("reviewed_at", UtcDateTime, nullable=False),
    sa.Column("second_mark", sa.Text),
    sa.Column("second_note", sa.Text),
    sa.Column("second_reviewer", sa.Text),
    sa.CheckConstraint("mark IN ('good', 'partly', 'bad')", name="mark"),
)
"""The mark that counts, and that of a second person, made without a look at the first."""

guard_audit = table(
    "guard_audit",
    goes_with("turn_id", "turns", primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("malicious", sa.Float, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
)
"""Turns that were answered on the tightened path; their words are in the turn, and go with it."""

model_usage = table(
    "model_usage",
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("course_id", Key, primary_key=True),
    sa.Column("model", Key, primary_key=True),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("uncounted", sa.Integer, nullable=False),
    sa.Column("prompt_tokens", sa.BigInteger, nullable=False),
    sa.Column("completion_tokens", sa.BigInteger, nullable=False),
)
"""Sums a day in UTC; the course is empty for calls made for none. The bill outlives its course."""
