"""Who may do what: keys, people, their links and sessions, secrets, and requests that came before."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    false,
    true,
)

from services.store.tables.base import Key, UtcDateTime, goes_with, metadata

course_keys = Table(
    "course_keys",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("role", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    Column("maker_id", Key),
    CheckConstraint("role IN ('platform', 'instructor')", name="role"),
)
"""`maker_id` is the person who made the key, or made the key that made it; NULL for an admin's key."""

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
    goes_with("person_id", "people", primary_key=True),
    goes_with("course_id", "courses", primary_key=True, index=True),
    Column("role", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    CheckConstraint("role IN ('instructor', 'ta')", name="role"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("invited_by", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    goes_with("maker_id", "people"),
    goes_with("key_id", "course_keys"),
    CheckConstraint("role IN ('instructor', 'ta')", name="role"),
)
"""Links that let one person each into a course; whoever uses one removes it. A person or a key made it."""

password_links = Table(
    "password_links",
    metadata,
    Column("digest", Key, primary_key=True),
    goes_with("person_id", "people", nullable=False),
    goes_with("course_id", "courses"),
    Column("expires_at", UtcDateTime, nullable=False),
    goes_with("maker_id", "people"),
    goes_with("key_id", "course_keys"),
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
    goes_with("course_id", "courses"),
    goes_with("key_id", "course_keys"),
    goes_with("platform_id", "lti_platforms"),
    goes_with("person_id", "people"),
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

store_secrets = Table(
    "store_secrets",
    metadata,
    Column("name", Key, primary_key=True),
    Column("value", Text, nullable=False),
)
"""What this store made for itself once and never shows: random bytes in hex, or a private key."""

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses"),
    goes_with("session_id", "sessions"),
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

audit_log = Table(
    "audit_log",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False, index=True),
    Column("event", Text, nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Key),
    Column("actor_name", Text, nullable=False),
    Column("course_id", Key, index=True),
    Column("person_id", Key),
    Column("person_name", Text),
    Column("detail", Text, nullable=False),
)
"""Who changed what and who logged in. It outlives the courses, people and keys that it names."""
