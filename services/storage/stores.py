"""Everything that is kept, behind one URL."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from services.clock import ForwardClock
from services.storage.analytics import SqlAnalytics, SqlGuardAudit
from services.storage.console_sessions import SqlConsoleSessions, SqlOidcLogins
from services.storage.course_settings import SqlCourseSettings, SqlEmbeddings
from services.storage.course_transfer import SqlCourseTransfer
from services.storage.courses import SqlCourses
from services.storage.documents import SqlDocuments
from services.storage.engine import TIMEOUT_S, check_log, open_engine
from services.storage.faq import SqlExactMatches, SqlFaq
from services.storage.faq_batches import SqlFaqBatches
from services.storage.graph_edits import SqlGraphEdits
from services.storage.idempotency import SqlIdempotency
from services.storage.ingests import SqlIngests
from services.storage.invitations import SqlInvitations
from services.storage.keys import SqlKeys
from services.storage.lti_launches import SqlLearnerVisits, SqlLtiInvitations, SqlLtiLaunches
from services.storage.lti_platforms import SqlLtiPlatforms, SqlLtiServices, SqlLtiSharedCourses
from services.storage.lti_scores import SqlLtiScores
from services.storage.model_usage import SqlModelUsage
from services.storage.notices import SqlNotices
from services.storage.passages import SqlPassages
from services.storage.people import SqlMemberships, SqlPeople
from services.storage.privacy import SqlConversationLog, SqlPrivacy
from services.storage.removed_documents import SqlRemovedDocuments
from services.storage.schema import upgrade_schema
from services.storage.sessions import SqlSessions
from services.storage.store_secrets import LearnerPseudonyms, SqlStoreSecrets
from services.storage.ta_queue import SqlQuestionContexts, SqlQuestionThreads, SqlTaQueue
from services.storage.tables import waiting_questions, webhook_deliveries
from services.storage.transactions import reading
from services.storage.webhooks import SqlWebhooks
from vta.ports import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The stores of one database; safe to share between threads. `close` gives its connections back."""

    courses: SqlCourses
    documents: SqlDocuments
    removed_documents: SqlRemovedDocuments
    ingests: SqlIngests
    passages: SqlPassages
    edits: SqlGraphEdits
    sessions: SqlSessions
    faq: SqlFaq
    faq_batches: SqlFaqBatches
    exact_matches: SqlExactMatches
    ta_queue: SqlTaQueue
    threads: SqlQuestionThreads
    contexts: SqlQuestionContexts
    conversations: SqlConversationLog
    keys: SqlKeys
    console: SqlConsoleSessions
    people: SqlPeople
    memberships: SqlMemberships
    invitations: SqlInvitations
    oidc_logins: SqlOidcLogins
    usage: SqlModelUsage
    audit: SqlGuardAudit
    embeddings: SqlEmbeddings
    settings: SqlCourseSettings
    webhooks: SqlWebhooks
    notices: SqlNotices
    analytics: SqlAnalytics
    privacy: SqlPrivacy
    idempotency: SqlIdempotency
    visits: SqlLearnerVisits
    lti_platforms: SqlLtiPlatforms
    lti_launches: SqlLtiLaunches
    lti_invitations: SqlLtiInvitations
    lti_shared_courses: SqlLtiSharedCourses
    lti_services: SqlLtiServices
    lti_scores: SqlLtiScores
    secrets: SqlStoreSecrets
    transfer: SqlCourseTransfer
    engine: Engine

    def check(self) -> None:
        """Raise where the store cannot be read, or this process writes into a log that was deleted."""
        check_log(self.engine)
        self.documents.revision()

    def backlog(self) -> tuple[int, int]:
        """Questions that wait for a TA and webhooks not delivered yet, over all courses."""
        with reading(self.engine) as connection:
            questions, deliveries = (
                connection.execute(select(func.count()).where(table.c.state == "waiting")).scalar_one()
                for table in (waiting_questions, webhook_deliveries)
            )
        return int(questions), int(deliveries)

    def close(self) -> None:
        self.engine.dispose()


def open_stores(url: str, clock: Clock, *, timeout_s: float = TIMEOUT_S) -> Stores:
    """Open the database of a URL, bring its schema up to date and return its stores.

    Each wait for PostgreSQL ends after `timeout_s`.

    A SQLite file that is not there is made; its folder must exist. Raises as `open_engine` and
    `upgrade_schema` do, and `UpstreamFailed` where the database cannot be reached or is damaged.
    """
    engine = open_engine(url, timeout_s=timeout_s)
    try:
        upgrade_schema(engine)
    except BaseException:
        engine.dispose()
        raise
    faq, kept = SqlFaq(engine, clock), SqlStoreSecrets(engine)
    learners = LearnerPseudonyms(engine, kept)
    return Stores(
        courses=SqlCourses(engine),
        documents=SqlDocuments(engine),
        removed_documents=SqlRemovedDocuments(engine, clock),
        ingests=SqlIngests(engine, clock),
        passages=SqlPassages(engine),
        edits=SqlGraphEdits(engine, clock),
        sessions=SqlSessions(engine, clock, learners),
        faq=faq,
        faq_batches=SqlFaqBatches(engine, clock, faq),
        exact_matches=SqlExactMatches(engine),
        ta_queue=SqlTaQueue(engine, clock, faq),
        threads=SqlQuestionThreads(engine, clock),
        contexts=SqlQuestionContexts(engine),
        conversations=SqlConversationLog(engine),
        keys=SqlKeys(engine, clock),
        console=SqlConsoleSessions(engine, ForwardClock(clock)),
        people=SqlPeople(engine, clock),
        memberships=SqlMemberships(engine, clock),
        invitations=SqlInvitations(engine, ForwardClock(clock)),
        oidc_logins=SqlOidcLogins(engine, ForwardClock(clock)),
        usage=SqlModelUsage(engine, clock),
        audit=SqlGuardAudit(engine, clock),
        embeddings=SqlEmbeddings(engine),
        settings=SqlCourseSettings(engine, clock),
        webhooks=SqlWebhooks(engine, clock),
        notices=SqlNotices(engine, clock),
        analytics=SqlAnalytics(engine, clock, learners),
        privacy=SqlPrivacy(engine, clock, learners),
        idempotency=SqlIdempotency(engine, clock),
        visits=SqlLearnerVisits(engine, ForwardClock(clock)),
        lti_platforms=SqlLtiPlatforms(engine, clock),
        lti_launches=SqlLtiLaunches(engine, clock),
        lti_invitations=SqlLtiInvitations(engine, clock),
        lti_shared_courses=SqlLtiSharedCourses(engine),
        lti_services=SqlLtiServices(engine),
        lti_scores=SqlLtiScores(engine, clock),
        secrets=kept,
        transfer=SqlCourseTransfer(engine, clock),
        engine=engine,
    )
