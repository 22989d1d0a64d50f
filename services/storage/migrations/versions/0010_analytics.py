"""What analytics count of a turn, marks of reviewed answers, and learners under pseudonyms"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_BATCH = 500


def key() -> sa.Text:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def moment() -> sa.DateTime:
    return sa.DateTime(timezone=True)


def upgrade() -> None:
    store_secrets = op.create_table(
        "store_secrets",
        sa.Column("name", key(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_store_secrets")),
    )
    turn_facts = op.create_table(
        "turn_facts",
        sa.Column("turn_id", key(), nullable=False),
        sa.Column("course_id", key(), nullable=False),
        sa.Column("asked_at", moment(), nullable=False),
        sa.Column("session_id", key(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.Column("milliseconds", sa.Float(), nullable=False),
        sa.Column("concepts", sa.JSON(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column("video", sa.Text(), nullable=True),
        sa.Column("second", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.id"], name=op.f("fk_turn_facts_turn_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_turn_facts")),
    )
    op.create_index(op.f("ix_turn_facts_course_id_asked_at"), "turn_facts", ["course_id", "asked_at"])
    op.create_table(
        "answer_reviews",
        sa.Column("turn_id", key(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("reviewed_at", moment(), nullable=False),
        sa.CheckConstraint("mark IN ('good', 'partly', 'bad')", name=op.f("ck_answer_reviews_mark")),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.id"], name=op.f("fk_answer_reviews_turn_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_answer_reviews")),
    )
    op.create_index(op.f("ix_feedback_rating_created_at"), "feedback", ["rating", "created_at"])
    connection = op.get_bind()
    secret = secrets.token_hex(32)
    connection.execute(sa.insert(store_secrets).values(name="learners", value=secret))
    _hide_learners(connection, secret)
    _fill_facts(connection, turn_facts)


def _hide_learners(connection: sa.Connection, secret: str) -> None:
    sessions = sa.table("sessions", sa.column("course_id"), sa.column("learner_id"))
    known = sa.select(sessions.c.course_id, sessions.c.learner_id).distinct()
    for course, learner in connection.execute(known.where(sessions.c.learner_id.is_not(None))).all():
        here = (sessions.c.course_id == course, sessions.c.learner_id == learner)
        text = hmac.digest(bytes.fromhex(secret), f"{course}\0{learner}".encode(), "sha256").hex()
        connection.execute(sa.update(sessions).where(*here).values(learner_id=text))


def _fill_facts(connection: sa.Connection, facts: sa.Table) -> None:
    """The facts of the turns there are; of their positions nothing was kept."""
    sessions = sa.table("sessions", sa.column("id"), sa.column("course_id"))
    turns = sa.table(
        "turns",
        sa.column("id"),
        sa.column("session_id"),
        sa.column("number"),
        sa.column("question"),
        sa.column("answer", sa.JSON()),
        sa.column("created_at", moment()),
    )
    joined = turns.join(sessions, sessions.c.id == turns.c.session_id)
    query = sa.select(turns, sessions.c.course_id).select_from(joined)
    last = ""
    while rows := connection.execute(query.where(turns.c.id > last).order_by(turns.c.id).limit(_BATCH)).all():
        connection.execute(sa.insert(facts), [_facts(row) for row in rows])
        last = rows[-1].id


def _facts(row: Any) -> Mapping[str, object]:
    answer = row.answer
    degraded = answer.get("degraded") or {}
    unset = degraded.get("reason") == "no language model is configured"
    return {
        "turn_id": row.id,
        "course_id": row.course_id,
        "asked_at": row.created_at,
        "session_id": row.session_id,
        "number": row.number,
        "question": row.question,
        "route": answer["route"],
        "failed": degraded.get("stage") in ("language_model", "vectors", "web_search") and not unset,
        "milliseconds": sum(step["ms"] for step in answer["trace"]),
        "concepts": [concept["name"] for concept in answer["concepts"]],
    }
