"""All stores of one database URL."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, func, select

from services.analytics.store import SqlAnalytics, SqlGuardAudit
from services.clock import ForwardClock
from services.courses.settings_store import SqlCourseSettings
from services.courses.store import SqlCourseOverviews, SqlCourses, SqlFirstSteps
from services.courses.transfer import SqlCourseTransfer
from services.dialogue.model_usage import SqlModelUsage
from services.dialogue.store import SqlSessions
from services.documents.graph_edits import SqlGraphEdits
from services.documents.removed import SqlRemovedDocuments
from services.documents.store import SqlDocuments
from services.facts.store import SqlFacts
from services.faq.batches import SqlFaqBatches
from services.faq.store import SqlExactMatches, SqlFaq
from services.learners.research import SqlResearch
from services.learners.store import SqlConversationLog, SqlPrivacy
from services.lti.launch_store import SqlLearnerVisits, SqlLtiInvitations, SqlLtiLaunches
from services.lti.platform_store import SqlLtiPlatforms, SqlLtiSharedCourses
from services.materials.ingest_store import SqlIngests
from services.materials.passages import SqlPassages, SqlReleases
from services.materials.site_store import SqlSites
from services.people.invitations import SqlInvitations
from services.people.key_store import SqlKeys
from services.people.session_store import SqlConsoleSessions, SqlOidcLogins
from services.people.store import SqlMemberships, SqlPeople
from services.questions.asked import SqlAskedQuestions
from services.questions.desk import SqlAnswerTemplates, SqlQuestionReaders
from services.questions.notices import SqlNotices, SqlUnseenAnswers
from services.questions.store import SqlQuestionThreads, SqlTaQueue
from services.store.audit_log import SqlAuditLog
from services.store.engine import TIMEOUT_S, check_log, open_engine, unwritable
from services.store.idempotency import SqlIdempotency
from services.store.schema import upgrade_schema
from services.store.store_secrets import LearnerPseudonyms, SqlStoreSecrets
from services.store.tables import waiting_questions, webhook_deliveries
from services.store.transactions import reading
from services.store.waiting_uploads import SqlWaitingUploads
from services.test_questions.store import SqlTestQuestions
from services.webhooks.store import SqlWebhooks
from vta.ports import Clock


class Stores:
    """The stores of one database; safe to share between threads. `close` gives its connections back."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.engine = engine
        self.faq = SqlFaq(engine, clock)
        self.secrets = SqlStoreSecrets(engine)
        learners = LearnerPseudonyms(engine, self.secrets)
        self.courses = SqlCourses(engine)
        self.course_overviews = SqlCourseOverviews(engine)
        self.first_steps = SqlFirstSteps(engine)
        self.facts = SqlFacts(engine)
        self.test_questions = SqlTestQuestions(engine, clock)
        self.documents = SqlDocuments(engine)
        self.removed_documents = SqlRemovedDocuments(engine, clock)
        self.releases = SqlReleases(engine, clock)
        self.ingests = SqlIngests(engine, clock)
        self.waiting_uploads = SqlWaitingUploads(engine, clock)
        self.sites = SqlSites(engine, clock)
        self.passages = SqlPassages(engine)
        self.edits = SqlGraphEdits(engine, clock)
        self.sessions = SqlSessions(engine, clock, learners)
        self.faq_batches = SqlFaqBatches(engine, clock, self.faq)
        self.exact_matches = SqlExactMatches(engine)
        self.ta_queue = SqlTaQueue(engine, clock, self.faq)
        self.threads = SqlQuestionThreads(engine, clock)
        self.asked = SqlAskedQuestions(engine, clock)
        self.answer_templates = SqlAnswerTemplates(engine, clock)
        self.question_readers = SqlQuestionReaders(engine, clock)
        self.conversations = SqlConversationLog(engine)
        self.keys = SqlKeys(engine, clock)
        self.console = SqlConsoleSessions(engine, ForwardClock(clock))
        self.people = SqlPeople(engine, clock)
        self.memberships = SqlMemberships(engine, clock)
        self.invitations = SqlInvitations(engine, ForwardClock(clock))
        self.oidc_logins = SqlOidcLogins(engine, ForwardClock(clock))
        self.usage = SqlModelUsage(engine, clock)
        self.audit = SqlGuardAudit(engine, clock)
        self.audit_log = SqlAuditLog(engine, clock)
        self.settings = SqlCourseSettings(engine, clock)
        self.webhooks = SqlWebhooks(engine, clock)
        self.notices = SqlNotices(engine, clock)
        self.unseen_answers = SqlUnseenAnswers(engine, clock)
        self.analytics = SqlAnalytics(engine, clock)
        self.privacy = SqlPrivacy(engine, clock, learners)
        self.research = SqlResearch(engine, learners)
        self.idempotency = SqlIdempotency(engine, clock)
        self.visits = SqlLearnerVisits(engine, ForwardClock(clock))
        self.lti_platforms = SqlLtiPlatforms(engine, clock)
        self.lti_launches = SqlLtiLaunches(engine, clock)
        self.lti_invitations = SqlLtiInvitations(engine, clock)
        self.lti_shared_courses = SqlLtiSharedCourses(engine)
        self.transfer = SqlCourseTransfer(engine, clock)

    def check(self) -> None:
        """Raise where the store cannot be read, or this process writes into a log that was deleted."""
        check_log(self.engine)
        self.documents.revision()

    def unwritable(self) -> str | None:
        """The reason why the disk of a SQLite file takes nothing more; None if it does, and for a server."""
        file = self.engine.url.database
        return unwritable(Path(file).parent) if self.engine.dialect.name == "sqlite" and file else None

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
    return Stores(engine, clock)
