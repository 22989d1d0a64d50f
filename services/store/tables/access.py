"""Keys, people, their links and sessions, secrets, idempotency keys and the audit log."""

from __future__ import annotations

import sqlalchemy as sa

from services.store.tables.base import Key, UtcDateTime, goes_with, table

course_keys = table(
    "course_keys",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("revoked_at", UtcDateTime),
    sa.Column("maker_id", Key),
    sa.CheckConstraint("role IN ('platform', 'instructor')", name="role"),
)
"""`maker_id` is the person who made the key, or made the key that made it; NULL for an admin's key."""

people = table(
    "people",
    sa.Column("id", Key, primary_key=True),
    sa.Column("email", Key, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("password", sa.Text),
    sa.Column("issuer", Key),
    sa.Column("subject", Key),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("last_seen_at", UtcDateTime),
    sa.Column("disabled", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.UniqueConstraint("issuer", "subject"),
    sa.CheckConstraint("role IN ('member', 'creator', 'admin')", name="role"),
)
"""Instructors and teaching assistants; `role` is that on the platform. A password is kept as argon2 makes it;
`issuer` and `subject` name the account of the school's that was bound to this one."""

memberships = table(
    "memberships",
    goes_with("person_id", "people", primary_key=True),
    goes_with("course_id", "courses", primary_key=True, index=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.CheckConstraint("role IN ('instructor', 'ta')", name="role"),
)

invitations = table(
    "invitations",
    sa.Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("invited_by", sa.Text, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    goes_with("maker_id", "people"),
    goes_with("key_id", "course_keys"),
    sa.CheckConstraint("role IN ('instructor', 'ta')", name="role"),
)
"""Links that let one person each into a course; its use removes it. A person or a key made it."""

password_links = table(
    "password_links",
    sa.Column("digest", Key, primary_key=True),
    goes_with("person_id", "people", nullable=False),
    goes_with("course_id", "courses"),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    goes_with("maker_id", "people"),
    goes_with("key_id", "course_keys"),
)
"""Links that let a person set a new password, once; without a course, made by an operator."""

oidc_logins = table(
    "oidc_logins",
    sa.Column("state_digest", Key, primary_key=True),
    sa.Column("browser_digest", sa.Text, nullable=False),
    sa.Column("nonce", sa.Text, nullable=False),
    sa.Column("verifier", sa.Text, nullable=False),
    sa.Column("back", sa.Text, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Log-ins that wait for the school's word; that word removes them, so each serves once."""

console_sessions = table(
    "console_sessions",
    sa.Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses"),
    goes_with("key_id", "course_keys"),
    goes_with("platform_id", "lti_platforms"),
    goes_with("person_id", "people"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("csrf", sa.Text, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Column("is_assistant", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.CheckConstraint(
        "(CASE WHEN key_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN platform_id IS NULL THEN 0 ELSE 1 END) "
        "+ (CASE WHEN person_id IS NULL THEN 0 ELSE 1 END) = 1",
        name="one_origin",
    ),
    sa.CheckConstraint("(course_id IS NULL) = (person_id IS NOT NULL)", name="course_or_person"),
)
"""Opened by a key of the course, by a launch from an LTI platform, or by a person for all their courses."""

store_secrets = table(
    "store_secrets",
    sa.Column("name", Key, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
"""Secrets of this store, never shown: random bytes in hex, or a private key."""

idempotency_keys = table(
    "idempotency_keys",
    sa.Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses"),
    goes_with("session_id", "sessions"),
    sa.Column("request_hash", sa.Text, nullable=False),
    sa.Column("attempt", sa.Text, nullable=False),
    sa.Column("held_until", UtcDateTime),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("headers", sa.JSON),
    sa.Column("body", sa.LargeBinary),
    sa.Index(None, "expires_at"),
)
"""Requests that may be sent again. A reply is removed with its course, and with its session."""

audit_log = table(
    "audit_log",
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", UtcDateTime, nullable=False, index=True),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("actor_kind", sa.Text, nullable=False),
    sa.Column("actor_id", Key),
    sa.Column("actor_name", sa.Text, nullable=False),
    sa.Column("course_id", Key, index=True),
    sa.Column("person_id", Key),
    sa.Column("person_name", sa.Text),
    sa.Column("detail", sa.Text, nullable=False),
)
"""Changes and log-ins. The log outlives the courses, people and keys that it names."""
