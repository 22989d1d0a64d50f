"""LTI platforms, what their courses agreed to, and launches on their way."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    false,
    true,
)

from services.store.tables.base import Key, UtcDateTime, goes_with, metadata

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
    goes_with("platform_id", "lti_platforms", primary_key=True),
    Column("deployment_id", Key, primary_key=True),
)

lti_contexts = Table(
    "lti_contexts",
    metadata,
    Column("platform_id", Key, primary_key=True),
    Column("deployment_id", Key, primary_key=True),
    Column("context_id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
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
    goes_with("platform_id", "lti_platforms", primary_key=True),
    goes_with("course_id", "courses", primary_key=True),
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
    goes_with("platform_id", "lti_platforms", primary_key=True),
    Column("lineitem", Key, primary_key=True),
    Column("subject", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
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
    goes_with("platform_id", "lti_platforms", nullable=False),
    Column("storage_target", Text, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)
"""Log-ins that wait for their launch; the launch removes them, so each serves once."""

lti_tickets = Table(
    "lti_tickets",
    metadata,
    Column("digest", Key, primary_key=True),
    goes_with("platform_id", "lti_platforms", nullable=False),
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
    goes_with("course_id", "courses", nullable=False),
    Column("learner_id", Text, nullable=False),
    goes_with("platform_id", "lti_platforms", nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
)
"""Learners who came by a launch, under the digest of their token."""
