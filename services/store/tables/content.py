"""The content of courses: settings, documents, FAQ and graph edits.

Pairs, concepts and edges of a document are JSON columns: a document is written, read and removed as a whole,
in its order.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from services.store.tables.base import Key, UtcDateTime, goes_with, table

store_state = table(
    "store_state",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.CheckConstraint("id = 1", name="one_row"),
)

courses = table(
    "courses",
    sa.Column("id", Key, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("domains", sa.JSON, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("alpha", sa.Float),
    sa.Column("beta", sa.Float),
    sa.Column("refusal", sa.Text),
    sa.Column("shares_concepts", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("takes_concepts", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("is_platform_graph", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("relevance", sa.Float),
    sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tone", sa.Text),
)

course_embeddings = table(
    "course_embeddings",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("origins", sa.JSON, nullable=False),
    sa.Column("hints", sa.Boolean, nullable=False),
    sa.Column("greeting", sa.Text),
    sa.Column("starters", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("assistant", sa.Text),
    sa.Column("model", sa.Text),
    sa.Column("daily_tokens", sa.BigInteger),
    sa.Column("research", sa.Text),
    sa.Column("experiment", sa.Text),
    sa.Column("experiment_setting", sa.Text),
    sa.Column("experiment_value", sa.Text),
)

course_facts = table(
    "course_facts",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("time_zone", sa.Text, nullable=False),
    sa.Column("facts", sa.JSON, nullable=False),
    sa.Column("dismissed", sa.JSON, nullable=False),
)
"""The facts of a course as a list; they are few, and read and written as a whole. `dismissed` are the ids of
facts that its files state and nobody wants."""

course_weeks = table(
    "course_weeks",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("path", Key, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("opens", sa.Text, nullable=False),
    sa.Column("review", sa.Boolean, nullable=False, server_default=sa.false()),
)
"""The parts of a course's material that open on a day of its time zone."""

test_questions = table(
    "test_questions",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("tests", sa.JSON, nullable=False),
    sa.Column("runs", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("stamp", sa.Text, nullable=False),
)
"""The test questions of a course and their last runs; `stamp` tells what the last run saw, empty for none."""


def _document_columns(*own: sa.Column[Any], **held: Any) -> tuple[sa.Column[Any], ...]:
    """The columns of a document, stored or removed, with options for those of what is held back."""
    return (
        goes_with("course_id", "courses", primary_key=True),
        sa.Column("path", Key, primary_key=True),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        *(sa.Column(name, sa.JSON, nullable=False) for name in ("pairs", "concepts", "edges")),
        sa.Column("stored_at", UtcDateTime),
        *(sa.Column(name, sa.JSON, nullable=False, **held) for name in ("held", "switched_off", "problems")),
        *own,
        sa.Column("release_at", UtcDateTime),
        sa.Column("waits", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("contents", sa.JSON, nullable=False, server_default="[]"),
    )


documents = table("documents", *_document_columns(server_default="[]"))
"""`pairs` answer; `held` pairs are switched off, or all of them while the document `waits` for its release,
see `documents/rows.py`. `problems` are faulty parts. `contents` are the places and titles of the files that a
table of contents names."""

removed_documents = table(
    "removed_documents",
    *_document_columns(sa.Column("removed_at", UtcDateTime, nullable=False)),
    sa.Index(None, "removed_at"),
)
"""Removed documents as they were, which can be restored for a while."""

outbox = table(
    "outbox",
    sa.Column("revision", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("course_id", Key, primary_key=True),
    sa.Column("path", Key, primary_key=True),
    sa.Column("put", sa.JSON, nullable=False),
    sa.Column("removed", sa.JSON, nullable=False),
    sa.Column("concepts", sa.Boolean, nullable=False),
)

graph_edits = table(
    "graph_edits",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("edit", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.CheckConstraint("number >= 1", name="counts_from_one"),
)

faq_entries = table(
    "faq_entries",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("question_key", sa.Text),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("course_id", "question_key"),
)

faq_versions = table(
    "faq_versions",
    goes_with("faq_id", "faq_entries", primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("similar_questions", sa.JSON, nullable=False),
    sa.Column("negative_questions", sa.JSON, nullable=False),
    sa.Column("editor", sa.Text, nullable=False),
    sa.Column("edited_at", UtcDateTime, nullable=False),
    sa.Column("removed", sa.Boolean, nullable=False),
    sa.Column("category", sa.Text, nullable=False, server_default=""),
    sa.Column("state", sa.Text, nullable=False, server_default="live"),
    sa.Column("batch_id", Key),
    sa.CheckConstraint("version >= 1", name="counts_from_one"),
    sa.Index(None, "batch_id"),
)

faq_batches = table(
    "faq_batches",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Column("editor", sa.Text, nullable=False),
    sa.Column("made_at", UtcDateTime, nullable=False),
    sa.Column("added", sa.Integer, nullable=False),
    sa.Column("changed", sa.Integer, nullable=False),
    sa.Column("undone_at", UtcDateTime),
    sa.Index(None, "course_id", "made_at"),
)
"""Imports and changes of several entries; the versions that they wrote name them."""

ingests = table(
    "ingests",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("report", sa.JSON),
    sa.Column("fault", sa.JSON),
    sa.Column("passed_over", sa.JSON, nullable=False),
    sa.Column("begun_at", UtcDateTime, nullable=False),
    sa.Column("alive_at", UtcDateTime, nullable=False),
    sa.Index(None, "course_id"),
    sa.Index(None, "begun_at"),
)
"""Progress of ingests; `alive_at` is the last sign of life of the process that reads the files."""

waiting_uploads = table(
    "waiting_uploads",
    sa.Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    sa.Column("details", sa.JSON, nullable=False),
    sa.Column("made_at", UtcDateTime, nullable=False),
    sa.Index(None, "course_id"),
    sa.Index(None, "made_at"),
)

waiting_files = table(
    "waiting_files",
    goes_with("upload_id", "waiting_uploads", primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
"""The files of uploads that wait for a yes, in pieces."""

course_sites = table(
    "course_sites",
    goes_with("course_id", "courses", primary_key=True),
    sa.Column("address", Key, primary_key=True),
    sa.Column("every", sa.Text, nullable=False),
    sa.Column("read_at", UtcDateTime),
    sa.Column("stamp", sa.Text, nullable=False, server_default=""),
    sa.Column("changes", sa.JSON),
    sa.Column("fault", sa.JSON),
    sa.Column("tells_fault", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("plan", Key, sa.ForeignKey("waiting_uploads.id", ondelete="SET NULL")),
    sa.Index(None, "plan"),
)
"""Websites that are read again by themselves. `stamp` is the digest of what the last reading found, `changes`
how many files differed then, `plan` the upload that waits for a yes."""
