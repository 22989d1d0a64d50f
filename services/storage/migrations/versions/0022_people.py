"""People with their courses, invitations and log-ins; console sessions of people; archived courses"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def id_of(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, key(), nullable=nullable)


def text(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def moment(name: str, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def owned(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [owner], name=op.f(f"fk_{table}_{column}"), ondelete="CASCADE")


def one_of(table: str, column: str, *values: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=op.f(f"ck_{table}_{column}"))


def upgrade() -> None:
    op.add_column("courses", sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "people",
        id_of("id"),
        id_of("email"),
        text("name"),
        text("role"),
        text("password", nullable=True),
        id_of("issuer", nullable=True),
        id_of("subject", nullable=True),
        moment("created_at"),
        moment("last_seen_at", nullable=True),
        sa.Column("disabled", sa.Boolean, nullable=False, server_default=sa.false()),
        one_of("people", "role", "member", "creator", "admin"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("email", name=op.f("uq_people_email")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_people_issuer_subject")),
    )
    op.create_table(
        "memberships",
        id_of("person_id"),
        id_of("course_id"),
        text("role"),
        moment("created_at"),
        owned("memberships", "person_id", "people.id"),
        owned("memberships", "course_id", "courses.id"),
        one_of("memberships", "role", "instructor", "ta"),
        sa.PrimaryKeyConstraint("person_id", "course_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_course_id"), "memberships", ["course_id"])
    op.create_table(
        "invitations",
        id_of("digest"),
        id_of("course_id"),
        text("role"),
        text("name"),
        text("email"),
        text("invited_by"),
        moment("expires_at"),
        owned("invitations", "course_id", "courses.id"),
        one_of("invitations", "role", "instructor", "ta"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_invitations")),
    )
    op.create_table(
        "password_links",
        id_of("digest"),
        id_of("person_id"),
        moment("expires_at"),
        owned("password_links", "person_id", "people.id"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_password_links")),
    )
    op.create_table(
        "oidc_logins",
        id_of("state_digest"),
        text("browser_digest"),
        text("nonce"),
        text("verifier"),
        text("back"),
        moment("expires_at"),
        sa.PrimaryKeyConstraint("state_digest", name=op.f("pk_oidc_logins")),
    )
    op.drop_table("console_sessions")  # whoever is logged in logs in once more
    op.create_table(
        "console_sessions",
        id_of("digest"),
        id_of("course_id", nullable=True),
        id_of("key_id", nullable=True),
        id_of("platform_id", nullable=True),
        id_of("person_id", nullable=True),
        text("name"),
        text("csrf"),
        moment("expires_at"),
        sa.Column("is_assistant", sa.Boolean, nullable=False, server_default=sa.true()),
        owned("console_sessions", "course_id", "courses.id"),
        owned("console_sessions", "key_id", "course_keys.id"),
        owned("console_sessions", "platform_id", "lti_platforms.id"),
        owned("console_sessions", "person_id", "people.id"),
        sa.CheckConstraint(
            "(CASE WHEN key_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN platform_id IS NULL THEN 0 ELSE 1 END) "
            "+ (CASE WHEN person_id IS NULL THEN 0 ELSE 1 END) = 1",
            name=op.f("ck_console_sessions_one_origin"),
        ),
        sa.CheckConstraint(
            "(course_id IS NULL) = (person_id IS NOT NULL)", name=op.f("ck_console_sessions_course_or_person")
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_console_sessions")),
    )
