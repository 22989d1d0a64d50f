"""LTI platforms, their courses, and launches in progress."""

from __future__ import annotations

import sqlalchemy as sa

from services.store.tables.base import Key, UtcDateTime, goes_with, metadata

lti_platforms = sa.Table(
    "lti_platforms",
    metadata,
    sa.Column("id", Key, primary_key=True),
    sa.Column("issuer", Key, nullable=False),
    sa.Column("client_id", Key, nullable=False),
    sa.Column("login_url", sa.Text, nullable=False),
    sa.Column("jwks_url", sa.Text, nullable=False),
    sa.Column("origins", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("issuer", "client_id"),
)

lti_deployments = sa.Table(
    "lti_deployments",
    metadata,
    goes_with("platform_id", "lti_platforms", primary_key=True),
    sa.Column("deployment_id", Key, primary_key=True),
)

lti_contexts = sa.Table(
    "lti_contexts",
    metadata,
    sa.Column("platform_id", Key, primary_key=True),
    sa.Column("deployment_id", Key, primary_key=True),
    sa.Column("context_id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.ForeignKeyConstraint(
        ["platform_id", "deployment_id"],
        ["lti_deployments.platform_id", "lti_deployments.deployment_id"],
        ondelete="CASCADE",
    ),
)
"""Which course of ours a course of a platform is; context ids are unique within a deployment."""

lti_shared_courses = sa.Table(
    "lti_shared_courses",
    metadata,
    goes_with("platform_id", "lti_platforms", primary_key=True),
    goes_with("course_id", "courses", primary_key=True),
)
"""Courses that students may be led to from any course of a platform."""

lti_invitations = sa.Table(
    "lti_invitations",
    metadata,
    sa.Column("digest", Key, primary_key=True),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Links by which a platform may register itself, once."""

lti_logins = sa.Table(
    "lti_logins",
    metadata,
    sa.Column("state_digest", Key, primary_key=True),
    sa.Column("browser_digest", sa.Text, nullable=False),
    sa.Column("nonce_digest", sa.Text, nullable=False),
    goes_with("platform_id", "lti_platforms", nullable=False),
    sa.Column("storage_target", sa.Text, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Log-ins that wait for their launch; the launch removes them, so each serves once."""

lti_tickets = sa.Table(
    "lti_tickets",
    metadata,
    sa.Column("digest", Key, primary_key=True),
    goes_with("platform_id", "lti_platforms", nullable=False),
    sa.Column("deployment_id", Key, nullable=False),
    sa.Column("context_id", Key, nullable=False),
    sa.Column("instructor", sa.Text, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Column("is_assistant", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("deep_linking", sa.JSON),
)
"""One-time rights in the minutes after an instructor's launch: connect the course, open the console."""

learner_visits = sa.Table(
    "learner_visits",
    metadata,
    sa.Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("learner_id", sa.Text, nullable=False),
    goes_with("platform_id", "lti_platforms", nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Learners who came by a launch, under the digest of their token."""
