"""LTI: platforms, deployments, contexts, log-ins; learners' visits; console sessions without a key; one table of secrets"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def moment(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def text(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=False)


def id_of(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, key(), nullable=nullable)


def owned(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [owner], name=op.f(f"fk_{table}_{column}"), ondelete="CASCADE")


def upgrade() -> None:
    op.execute("INSERT INTO store_secrets (name, value) SELECT purpose, secret FROM signing_keys")
    op.drop_table("signing_keys")
    op.create_table(
        "lti_platforms",
        id_of("id"),
        id_of("issuer"),
        id_of("client_id"),
        text("login_url"),
        text("token_url"),
        text("jwks_url"),
        sa.Column("origins", sa.JSON(), nullable=False),
        moment("created_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lti_platforms")),
        sa.UniqueConstraint("issuer", "client_id", name=op.f("uq_lti_platforms_issuer_client_id")),
    )
    op.create_table(
        "lti_deployments",
        id_of("platform_id"),
        id_of("deployment_id"),
        owned("lti_deployments", "platform_id", "lti_platforms.id"),
        sa.PrimaryKeyConstraint("platform_id", "deployment_id", name=op.f("pk_lti_deployments")),
    )
    op.create_table(
        "lti_contexts",
        id_of("platform_id"),
        id_of("deployment_id"),
        id_of("context_id"),
        id_of("course_id"),
        sa.ForeignKeyConstraint(
            ["platform_id", "deployment_id"],
            ["lti_deployments.platform_id", "lti_deployments.deployment_id"],
            name=op.f("fk_lti_contexts_platform_id_deployment_id"),
            ondelete="CASCADE",
        ),
        owned("lti_contexts", "course_id", "courses.id"),
        sa.PrimaryKeyConstraint("platform_id", "deployment_id", "context_id", name=op.f("pk_lti_contexts")),
    )
    op.create_table(
        "lti_logins",
        id_of("state_digest"),
        text("browser_digest"),
        text("nonce_digest"),
        id_of("platform_id"),
        text("storage_target"),
        moment("expires_at"),
        owned("lti_logins", "platform_id", "lti_platforms.id"),
        sa.PrimaryKeyConstraint("state_digest", name=op.f("pk_lti_logins")),
    )
    op.create_table(
        "lti_tickets",
        id_of("digest"),
        id_of("platform_id"),
        id_of("deployment_id"),
        id_of("context_id"),
        text("instructor"),
        moment("expires_at"),
        owned("lti_tickets", "platform_id", "lti_platforms.id"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_lti_tickets")),
    )
    op.create_table(
        "learner_visits",
        id_of("digest"),
        id_of("course_id"),
        text("learner_id"),
        id_of("platform_id"),
        moment("expires_at"),
        owned("learner_visits", "course_id", "courses.id"),
        owned("learner_visits", "platform_id", "lti_platforms.id"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_learner_visits")),
    )
    op.drop_table("console_sessions")  # whoever is logged in logs in once more
    op.create_table(
        "console_sessions",
        id_of("digest"),
        id_of("course_id"),
        id_of("key_id", nullable=True),
        id_of("platform_id", nullable=True),
        text("name"),
        text("csrf"),
        moment("expires_at"),
        owned("console_sessions", "course_id", "courses.id"),
        owned("console_sessions", "key_id", "course_keys.id"),
        owned("console_sessions", "platform_id", "lti_platforms.id"),
        sa.CheckConstraint(
            "(key_id IS NULL) <> (platform_id IS NULL)", name=op.f("ck_console_sessions_one_origin")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_console_sessions")),
    )
