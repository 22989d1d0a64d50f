"""LTI platforms, their courses, and launches in progress."""

from __future__ import annotations

import sqlalchemy as sa

from services.store.tables.base import Key, UtcDateTime, goes_with, table

lti_platforms = table(
    "lti_platforms",
    sa.Column("id", Key, primary_key=True),
    sa.Column("issuer", Key, nullable=False),
    sa.Column("client_id", Key, nullable=False),
    sa.Column("login_url", sa.Text, nullable=False),
    sa.Column("jwks_url", sa.Text, nullable=False),
    sa.Column("origins", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("issuer", "client_id"),
)

lti_deployments = table(
    "lti_deployments",
    goes_with("platform_id", "lti_platforms", primary_key=True),
    sa.Column("deployment_id", Key, primary_key=True),
)

lti_contexts = table(
    "lti_contexts",
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

lti_shared_courses = table(
    "lti_shared_courses",
    goes_with("platform_id", "lti_platforms", primary_key=True),
    goes_with("course_id", "courses", primary_key=True),
)
"""Courses that students may be led to from any course of a platform."""

lti_invitations = table(
    "lti_invitations",
    sa.Column("digest", Key, primary_key=True),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Links by which a platform may register itself, once."""

lti_logins = table(
    "lti_logins",
    sa.Column("state_digest", Key, primary_key=True),
    sa.Column("browser_digest", sa.Text, nullable=False),
    sa.Column("nonce_digest", sa.Text, nullable=False),
    goes_with("platform_id", "lti_platforms", nullable=False),
    sa.Column("storage_target", sa.Text, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Log-ins that wait for their launch; the launch removes them, so each serves once."""

lti_tickets = table(
    "lti_tickets",
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

learner_visits = table(
    "learner_visits",
    sa.Column("digest", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("learner_id", sa.Text, nullable=False),
    goes_with("platform_id", "lti_platforms", nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
)
"""Learners who came by a launch, under the digest of their token."""
