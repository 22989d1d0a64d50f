"""The tables of the relational store. What a course owns goes with it, by foreign keys that cascade.

Documents keep what was made of them as JSON, one column each for pairs, concepts and edges: a document is
written, read and removed as a whole, and its order is kept. Turns keep their answer as the JSON of
`services.rendering.answer_json`.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    true,
)
from sqlalchemy.engine import Dialect

Key = Text().with_variant(Text(collation="C"), "postgresql")
"""A text that orders by code point on every database."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: written in UTC, read with its time zone also where the database keeps none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

store_state = Table(
    "store_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("revision", Integer, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

courses = Table(
    "courses",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False),
    Column("domains", JSON, nullable=False),
    Column("language", Text, nullable=False),
    Column("alpha", Float),
    Column("beta", Float),
    Column("refusal", Text),
    Column("shares_concepts", Boolean, nullable=False, server_default=false()),
    Column("takes_concepts", Boolean, nullable=False, server_default=false()),
    Column("is_platform_graph", Boolean, nullable=False, server_default=false()),
    Column("archived", Boolean, nullable=False, server_default=false()),
    Column("relevance", Float),
)

documents = Table(
    "documents",
    metadata,
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
    Column("path", Key, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("pairs", JSON, nullable=False),
    Column("concepts", JSON, nullable=False),
    Column("edges", JSON, nullable=False),
    Column("stored_at", UtcDateTime),
    Column("held", JSON, nullable=False, server_default="[]"),
    Column("switched_off", JSON, nullable=False, server_default="[]"),
    Column("problems", JSON, nullable=False, server_default="[]"),
)
"""`pairs` answer; `held` ones are switched off, see `document_rows`. `problems` are faulty parts."""

removed_documents = Table(
    "removed_documents",
    metadata,
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
    Column("path", Key, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("pairs", JSON, nullable=False),
    Column("concepts", JSON, nullable=False),
    Column("edges", JSON, nullable=False),
    Column("stored_at", UtcDateTime),
    Column("held", JSON, nullable=False),
    Column("switched_off", JSON, nullable=False),
    Column("problems", JSON, nullable=False),
    Column("removed_at", UtcDateTime, nullable=False),
    Index(None, "removed_at"),
)
"""Documents that were removed, as they were, so that they can be restored for a while."""

outbox = Table(
    "outbox",
    metadata,
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("course_id", Key, primary_key=True),
    Column("path", Key, primary_key=True),
    Column("put", JSON, nullable=False),
    Column("removed", JSON, nullable=False),
    Column("concepts", Boolean, nullable=False),
)

graph_edits = Table(
    "graph_edits",
    metadata,
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("edit", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("undone", Boolean, nullable=False),
    CheckConstraint("number >= 1", name="counts_from_one"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("learner_id", Key),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "course_id", "learner_id"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Key, primary_key=True),
    Column("session_id", Key, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("flagged", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("session_id", "number"),
    CheckConstraint("number >= 1", name="counts_from_one"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("rating", Text, nullable=False),
    Column("reason", Text),
    Column("comment", Text),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("rating IN ('up', 'down')", name="rating"),
    Index(None, "rating", "created_at"),
)

faq_entries = Table(
    "faq_entries",
    metadata,
    Column("id", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("question_key", Text),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("course_id", "question_key"),
)

faq_versions = Table(
    "faq_versions",
    metadata,
    Column("faq_id", Key, ForeignKey("faq_entries.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("similar_questions", JSON, nullable=False),
    Column("negative_questions", JSON, nullable=False),
    Column("editor", Text, nullable=False),
    Column("edited_at", UtcDateTime, nullable=False),
    Column("removed", Boolean, nullable=False),
    Column("category", Text, nullable=False, server_default=""),
    Column("state", Text, nullable=False, server_default="live"),
    Column("batch_id", Key),
    CheckConstraint("version >= 1", name="counts_from_one"),
    Index(None, "batch_id"),
)

faq_batches = Table(
    "faq_batches",
    metadata,
    Column("id", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("editor", Text, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("added", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("undone_at", UtcDateTime),
    Index(None, "course_id", "made_at"),
)
"""What was imported or changed at once; the versions that it wrote name it."""

waiting_questions = Table(
    "waiting_questions",
    metadata,
    Column("id", Key, primary_key=True),
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("faq_id", Key),
    Column("reason", Text),
    Column("resolved_at", UtcDateTime),
    Column("seen", Boolean, nullable=False, server_default=false()),
    Column("reason_is_public", Boolean, nullable=False, server_default=false()),
    Column("assignee", Text),
    Column("standalone_question", Text),
    CheckConstraint("state IN ('waiting', 'answered', 'rejected')", name="state"),
)

question_messages = Table(
    "question_messages",
    metadata,
    Column("question_id", Key, ForeignKey("waiting_questions.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("kind IN ('note', 'reply', 'question', 'student')", name="kind"),
)
"""What TAs noted about a waiting question, and what was written to and by the student who asked it."""

course_keys = Table(
    "course_keys",
    metadata,
    Column("id", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("role", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    CheckConstraint("role IN ('platform', 'instructor')", name="role"),
)

people = Table(
    "people",
    metadata,
    Column("id", Key, primary_key=True),
    Column("email", Key, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("password", Text),
    Column("issuer", Key),
    Column("subject", Key),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_seen_at", UtcDateTime),
    Column("disabled", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("issuer", "subject"),
    CheckConstraint("role IN ('member', 'creator', 'admin')", name="role"),
)
"""Instructors and teaching assistants; `role` is that on the platform. A password is kept as argon2 makes it;
`issuer` and `subject` name the account of the school's that was bound to this one."""

memberships = Table(
    "memberships",
    metadata,
    Column("person_id", Key, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("role", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("role IN ('instructor', 'ta')", name="role"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("invited_by", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("maker_id", Key, ForeignKey("people.id", ondelete="CASCADE")),
    Column("key_id", Key, ForeignKey("course_keys.id", ondelete="CASCADE")),
    CheckConstraint("role IN ('instructor', 'ta')", name="role"),
)
"""Links that let one person each into a course; whoever uses one removes it. A person or a key made it."""

password_links = Table(
    "password_links",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("person_id", Key, ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE")),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("maker_id", Key, ForeignKey("people.id", ondelete="CASCADE")),
    Column("key_id", Key, ForeignKey("course_keys.id", ondelete="CASCADE")),
)
"""Links that let a person set a new password, once; without a course, made by whoever runs the platform."""

oidc_logins = Table(
    "oidc_logins",
    metadata,
    Column("state_digest", Key, primary_key=True),
    Column("browser_digest", Text, nullable=False),
    Column("nonce", Text, nullable=False),
    Column("verifier", Text, nullable=False),
    Column("back", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)
"""Log-ins that wait for the school's word; that word removes them, so each serves once."""

console_sessions = Table(
    "console_sessions",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE")),
    Column("key_id", Key, ForeignKey("course_keys.id", ondelete="CASCADE")),
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE")),
    Column("person_id", Key, ForeignKey("people.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("csrf", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("is_assistant", Boolean, nullable=False, server_default=true()),
    CheckConstraint(
        "(CASE WHEN key_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN platform_id IS NULL THEN 0 ELSE 1 END) "
        "+ (CASE WHEN person_id IS NULL THEN 0 ELSE 1 END) = 1",
        name="one_origin",
    ),
    CheckConstraint("(course_id IS NULL) = (person_id IS NOT NULL)", name="course_or_person"),
)
"""Opened by a key of the course, by a launch from an LTI platform, or by a person for all their courses."""

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

guard_audit = Table(
    "guard_audit",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("malicious", Float, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)
"""Turns that were answered on the tightened path; their words are in the turn, and go with it."""

course_embeddings = Table(
    "course_embeddings",
    metadata,
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
    Column("origins", JSON, nullable=False),
    Column("hints", Boolean, nullable=False),
)

store_secrets = Table(
    "store_secrets",
    metadata,
    Column("name", Key, primary_key=True),
    Column("value", Text, nullable=False),
)
"""What this store made for itself once and never shows: random bytes in hex, or a private key."""

turn_facts = Table(
    "turn_facts",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
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

answer_reviews = Table(
    "answer_reviews",
    metadata,
    Column("turn_id", Key, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("mark", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("reviewed_at", UtcDateTime, nullable=False),
    CheckConstraint("mark IN ('good', 'partly', 'bad')", name="mark"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE")),
    Column("session_id", Key, ForeignKey("sessions.id", ondelete="CASCADE")),
    Column("request_hash", Text, nullable=False),
    Column("attempt", Text, nullable=False),
    Column("held_until", UtcDateTime),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("status", Integer),
    Column("headers", JSON),
    Column("body", LargeBinary),
    Index(None, "expires_at"),
)
"""Requests that may be sent again. A reply goes with its course, and with the session it tells of."""

ingests = Table(
    "ingests",
    metadata,
    Column("id", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("state", Text, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("report", JSON),
    Column("fault", JSON),
    Column("passed_over", JSON, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("alive_at", UtcDateTime, nullable=False),
    Index(None, "course_id"),
    Index(None, "begun_at"),
)
"""Ingests as far as the process that reads the files has told; `alive_at` is when it told last."""

lti_platforms = Table(
    "lti_platforms",
    metadata,
    Column("id", Key, primary_key=True),
    Column("issuer", Key, nullable=False),
    Column("client_id", Key, nullable=False),
    Column("login_url", Text, nullable=False),
    Column("token_url", Text, nullable=False),
    Column("jwks_url", Text, nullable=False),
    Column("origins", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("issuer", "client_id"),
)

lti_deployments = Table(
    "lti_deployments",
    metadata,
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE"), primary_key=True),
    Column("deployment_id", Key, primary_key=True),
)

lti_contexts = Table(
    "lti_contexts",
    metadata,
    Column("platform_id", Key, primary_key=True),
    Column("deployment_id", Key, primary_key=True),
    Column("context_id", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("names", Boolean, nullable=False, server_default=false()),
    Column("score_after", Integer),
    Column("names_url", Text),
    ForeignKeyConstraint(
        ["platform_id", "deployment_id"],
        ["lti_deployments.platform_id", "lti_deployments.deployment_id"],
        ondelete="CASCADE",
    ),
)
"""Which course of ours a course of a platform is; context ids are unique within a deployment. `names` and
`score_after` (questions) say what it agreed to, `names_url` where its members can be asked for."""

lti_shared_courses = Table(
    "lti_shared_courses",
    metadata,
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE"), primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
)
"""Courses that students may be led to from any course of a platform."""

lti_invitations = Table(
    "lti_invitations",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("scopes", JSON, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)
"""Links by which a platform may register itself, once, and the scopes that it is asked for."""

lti_scores = Table(
    "lti_scores",
    metadata,
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE"), primary_key=True),
    Column("lineitem", Key, primary_key=True),
    Column("subject", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("learner_id", Text, nullable=False),
    Column("questions", Integer, nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Column("next_at", UtcDateTime),
    Column("tries", Integer, nullable=False),
    Index(None, "next_at"),
)
"""Who is to get the score of an activity once they have asked enough; sent or given up without `next_at`."""

lti_logins = Table(
    "lti_logins",
    metadata,
    Column("state_digest", Key, primary_key=True),
    Column("browser_digest", Text, nullable=False),
    Column("nonce_digest", Text, nullable=False),
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE"), nullable=False),
    Column("storage_target", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)
"""Log-ins that wait for their launch; the launch removes them, so each serves once."""

lti_tickets = Table(
    "lti_tickets",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE"), nullable=False),
    Column("deployment_id", Key, nullable=False),
    Column("context_id", Key, nullable=False),
    Column("instructor", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("is_assistant", Boolean, nullable=False, server_default=true()),
    Column("deep_linking", JSON),
)
"""What an instructor's launch allows in the minutes after it, once: connect the course, open the console."""

learner_visits = Table(
    "learner_visits",
    metadata,
    Column("digest", Key, primary_key=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
    Column("learner_id", Text, nullable=False),
    Column("platform_id", Key, ForeignKey("lti_platforms.id", ondelete="CASCADE"), nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)
"""Learners who came by a launch, under the digest of their token."""

course_webhooks = Table(
    "course_webhooks",
    metadata,
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Text),
    Column("secret", Text),
)

course_notices = Table(
    "course_notices",
    metadata,
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
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

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Key, nullable=False, unique=True),
    Column("course_id", Key, ForeignKey("courses.id", ondelete="CASCADE"), nullable=False),
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
