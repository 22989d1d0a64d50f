"""LTI platforms are asked for no names and sent no scores any more; instructors have the name of their launch"""

from __future__ import annotations

from alembic import op

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    op.drop_table("lti_scores")
    for table, column in (
        ("lti_contexts", "names"),
        ("lti_contexts", "score_after"),
        ("lti_contexts", "names_url"),
        ("lti_invitations", "scopes"),
        ("lti_platforms", "token_url"),
    ):
        op.drop_column(table, column)
