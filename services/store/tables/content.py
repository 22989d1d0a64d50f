"""What courses hold: their settings, documents, FAQ and graph edits.

Documents keep what was made of them as JSON, one column each for pairs, concepts and edges: a document is
written, read and removed as a whole, and its order is kept.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from services.store.tables.base import Key, UtcDateTime, goes_with, metadata

store_state = Table(
    "store_state",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("revision", Integer, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

courses = Table(
    "courses",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Text, nullable=False),
    Column("domains", JSON, nullable=False),
    Column("language", Text, nullable=False),
    Column("alpha", Float),
    Column("beta", Float),
    Column("refusal", Text),
    Column("shares_concepts", Boolean, nullable=False, server_default=false()),
    Column("takes_concepts", Boolean, nullable=False, server_default=false()),
    Column("is_platform_graph", Boolean, nullable=False, server_default=false()),
    Column("archived", Boolean, nullable=False, server_default=false()),
    Column("relevance", Float),
)

course_embeddings = Table(
    "course_embeddings",
    metadata,
    goes_with("course_id", "courses", primary_key=True),
    Column("origins", JSON, nullable=False),
    Column("hints", Boolean, nullable=False),
    Column("greeting", Text),
    Column("starters", JSON, nullable=False, server_default="[]"),
)

documents = Table(
    "documents",
    metadata,
    goes_with("course_id", "courses", primary_key=True),
    Column("path", Key, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("pairs", JSON, nullable=False),
    Column("concepts", JSON, nullable=False),
    Column("edges", JSON, nullable=False),
    Column("stored_at", UtcDateTime),
    Column("held", JSON, nullable=False, server_default="[]"),
    Column("switched_off", JSON, nullable=False, server_default="[]"),
    Column("problems", JSON, nullable=False, server_default="[]"),
    Column("release_at", UtcDateTime),
    Column("waits", Boolean, nullable=False, server_default=false()),
    Column("contents", JSON, nullable=False, server_default="[]"),
)
"""`pairs` answer; `held` ones are switched off, or all as the document `waits` for its moment of release, see
`materials/rows.py`. `problems` are faulty parts; `contents` are the places
and titles of the files that a table of contents names."""

removed_documents = Table(
    "removed_documents",
    metadata,
    goes_with("course_id", "courses", primary_key=True),
    Column("path", Key, primary_key=True),
    Column("sha256", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("pairs", JSON, nullable=False),
    Column("concepts", JSON, nullable=False),
    Column("edges", JSON, nullable=False),
    Column("stored_at", UtcDateTime),
    Column("held", JSON, nullable=False),
    Column("switched_off", JSON, nullable=False),
    Column("problems", JSON, nullable=False),
    Column("removed_at", UtcDateTime, nullable=False),
    Column("release_at", UtcDateTime),
    Column("waits", Boolean, nullable=False, server_default=false()),
    Column("contents", JSON, nullable=False, server_default="[]"),
    Index(None, "removed_at"),
)
"""Documents that were removed, as they were, so that they can be restored for a while."""

outbox = Table(
    "outbox",
    metadata,
    Column("revision", Integer, primary_key=True, autoincrement=False),
    Column("course_id", Key, primary_key=True),
    Column("path", Key, primary_key=True),
    Column("put", JSON, nullable=False),
    Column("removed", JSON, nullable=False),
    Column("concepts", Boolean, nullable=False),
)

graph_edits = Table(
    "graph_edits",
    metadata,
    goes_with("course_id", "courses", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("edit", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("undone", Boolean, nullable=False),
    CheckConstraint("number >= 1", name="counts_from_one"),
)

faq_entries = Table(
    "faq_entries",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("question_key", Text),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("course_id", "question_key"),
)

faq_versions = Table(
    "faq_versions",
    metadata,
    goes_with("faq_id", "faq_entries", primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("similar_questions", JSON, nullable=False),
    Column("negative_questions", JSON, nullable=False),
    Column("editor", Text, nullable=False),
    Column("edited_at", UtcDateTime, nullable=False),
    Column("removed", Boolean, nullable=False),
    Column("category", Text, nullable=False, server_default=""),
    Column("state", Text, nullable=False, server_default="live"),
    Column("batch_id", Key),
    CheckConstraint("version >= 1", name="counts_from_one"),
    Index(None, "batch_id"),
)

faq_batches = Table(
    "faq_batches",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("kind", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("editor", Text, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("added", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("undone_at", UtcDateTime),
    Index(None, "course_id", "made_at"),
)
"""What was imported or changed at once; the versions that it wrote name it."""

ingests = Table(
    "ingests",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("state", Text, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("report", JSON),
    Column("fault", JSON),
    Column("passed_over", JSON, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("alive_at", UtcDateTime, nullable=False),
    Index(None, "course_id"),
    Index(None, "begun_at"),
)
"""Ingests as far as the process that reads the files has told; `alive_at` is when it told last."""

waiting_uploads = Table(
    "waiting_uploads",
    metadata,
    Column("id", Key, primary_key=True),
    goes_with("course_id", "courses", nullable=False),
    Column("details", JSON, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Index(None, "course_id"),
    Index(None, "made_at"),
)

waiting_files = Table(
    "waiting_files",
    metadata,
    goes_with("upload_id", "waiting_uploads", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("path", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
"""The files of uploads that wait for a yes, in pieces."""
