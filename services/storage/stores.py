"""Everything that is kept, behind one URL."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from services.storage.analytics import SqlAnalytics
from services.storage.console_sessions import SqlConsoleSessions
from services.storage.course_transfer import SqlCourseTransfer
from services.storage.courses import SqlCourses
from services.storage.documents import SqlDocuments
from services.storage.embedding import SqlEmbeddings, SqlSigningKeys
from services.storage.engine import open_engine
from services.storage.faq import SqlFaq
from services.storage.graph_edits import SqlGraphEdits
from services.storage.guard_audit import SqlGuardAudit
from services.storage.idempotency import SqlIdempotency
from services.storage.keys import SqlKeys
from services.storage.learners import LearnerPseudonyms
from services.storage.model_usage import SqlModelUsage
from services.storage.privacy import SqlPrivacy
from services.storage.schema import upgrade_schema
from services.storage.sessions import SqlSessions
from services.storage.ta_queue import SqlTaQueue
from vta.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores of one database; safe to share between threads. `close` gives its connections back."""

    courses: SqlCourses
    documents: SqlDocuments
    edits: SqlGraphEdits
    sessions: SqlSessions
    faq: SqlFaq
    ta_queue: SqlTaQueue
    keys: SqlKeys
    console: SqlConsoleSessions
    usage: SqlModelUsage
    audit: SqlGuardAudit
    embeddings: SqlEmbeddings
    signing_keys: SqlSigningKeys
    analytics: SqlAnalytics
    privacy: SqlPrivacy
    idempotency: SqlIdempotency
    transfer: SqlCourseTransfer
    engine: Engine

    def close(self) -> None:
        self.engine.dispose()


def open_stores(url: str, clock: Clock) -> Stores:
    """Open the database of a URL, bring its schema up to date and return its stores.

    A SQLite file that is not there is made; its folder must exist. Raises as `open_engine` and
    `upgrade_schema` do, and `UpstreamFailed` where the database cannot be reached or is damaged.
    """
    engine = open_engine(url)
    try:
        upgrade_schema(engine)
    except BaseException:
        engine.dispose()
        raise
    faq, signing_keys = SqlFaq(engine, clock), SqlSigningKeys(engine)
    learners = LearnerPseudonyms(engine, signing_keys)
    return Stores(
        courses=SqlCourses(engine),
        documents=SqlDocuments(engine),
        edits=SqlGraphEdits(engine, clock),
        sessions=SqlSessions(engine, clock, learners),
        faq=faq,
        ta_queue=SqlTaQueue(engine, clock, faq),
        keys=SqlKeys(engine, clock),
        console=SqlConsoleSessions(engine, clock),
        usage=SqlModelUsage(engine, clock),
        audit=SqlGuardAudit(engine, clock),
        embeddings=SqlEmbeddings(engine),
        signing_keys=signing_keys,
        analytics=SqlAnalytics(engine, clock, learners),
        privacy=SqlPrivacy(engine, clock, learners),
        idempotency=SqlIdempotency(engine, clock),
        transfer=SqlCourseTransfer(engine, clock),
        engine=engine,
    )
