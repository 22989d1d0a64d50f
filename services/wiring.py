"""Plain constructor calls: the rooms put together into one platform."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from intent.albert import AlbertIntentClassifier
from intent.distress import DistressModel
from intent.guard.detector import NgramGuard
from knowledge.index import PairIndex
from knowledge.search.engines import SearchEngines
from knowledge.search.http_client import HttpClient
from knowledge.search.servers import JsonFetcher, OpenAlexSearch, SearxngSearch
from knowledge.vectors.token_table import shipped_encoder
from prompts.chain_of_teach import load_examples
from services.analytics.service import AnalyticsService
from services.archive.daily import DailyBackups
from services.clock import SystemClock
from services.courses.service import CourseService, CourseSettingsService
from services.dialogue.lookup import EphemeralSessions
from services.dialogue.model_usage import BackgroundMeter
from services.faq.service import FaqService
from services.graph.model_graph import LONGEST_REPLY, ModelGraphs
from services.graph.service import CourseGraphs
from services.indexing.search_wiring import NO_VECTORS, SearchParts, build_reranker, build_search
from services.indexing.stored_knowledge import StoredKnowledge
from services.language_model.budget import BudgetedModel
from services.learners.service import LearnerService
from services.materials.service import CourseMaterials
from services.materials.sites import CourseSites
from services.materials.uploads import UploadFolders
from services.people.service import PeopleService
from services.questions.grouping import QuestionGrouping
from services.questions.mail import MailServer, MailWorker
from services.questions.service import QuestionService
from services.questions.triage import QuestionBands
from services.reading.bounded_readers import bounded_readers
from services.reading.pool import ReaderPool
from services.settings import Settings, make_home, reveal
from services.store.process_locks import alone
from services.stores import Stores, open_stores
from services.test_questions.runs import QuestionRuns
from services.tracing import stage_span
from services.webhooks.worker import LONGEST_TRY_S, WebhookWorker
from vta.breaker import CircuitBreaker
from vta.dialogue.assistant import Assistant, Model
from vta.dialogue.course_facts import FactFinder
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.teaching.offline import ComposingTeacher
from vta.dialogue.understanding import Understanding
from vta.faults import Fault
from vta.ports import (
    DocumentReader,
    Embedder,
    Guard,
    IntentClassifier,
    KnowledgeBase,
    LanguageModel,
    Reranker,
    UsageMeter,
    WebSearch,
)
from vta.text import Analyser

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from knowledge.vectors.token_table import TokenTable
    from services.dialogue.answering import Answering
    from services.dialogue.first_questions import FirstQuestions
    from services.language_model.client import OpenAiLanguageModel
    from services.lti.tool import Tool
    from services.people.authenticator import Authenticator
    from services.people.oidc import OidcProvider
    from services.status.watch import StatusWatch
    from services.store.process_locks import ProcessLocks
    from services.web.counters import SharedCounters
    from services.web.metrics import Metrics
    from services.web.rate_limits import RateLimits
    from services.web.shutdown import GracefulShutdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Everything one process serves from."""

    settings: Settings
    stores: Stores
    index: PairIndex
    knowledge: StoredKnowledge
    embedder: Embedder | None
    reranker: Reranker | None
    readers: tuple[DocumentReader, ...]
    reader: Understanding
    prompts: ChainOfTeach
    model: OpenAiLanguageModel | None
    models: dict[str, OpenAiLanguageModel]
    assistant: Assistant
    is_offline: bool
    """True if no answer waits for a language model or a search engine."""
    previewer: Assistant
    """An assistant that stores nothing."""
    previewer_of: Callable[[KnowledgeBase], Assistant]
    """Makes one that answers from other knowledge."""
    catalogue: CourseService
    materials: CourseMaterials
    sites: CourseSites
    graphs: CourseGraphs
    model_graphs: ModelGraphs
    analytics: AnalyticsService
    faq: FaqService
    questions: QuestionService
    learners: LearnerService
    people: PeopleService
    course_settings: CourseSettingsService
    webhook_worker: WebhookWorker
    mail_worker: MailWorker
    test_runs: QuestionRuns
    backups: DailyBackups | None
    connections: ExitStack

    def close(self) -> None:
        self.connections.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class AppParts:
    """The parts of one web application, in `app.state.parts`; `part_of_app` gives them to routes."""

    platform: Platform
    authenticator: Authenticator
    answering: Answering
    first_questions: FirstQuestions
    lti: Tool
    oidc: OidcProvider | None
    limits: RateLimits
    counters: SharedCounters
    metrics: Metrics
    locks: ProcessLocks
    closing: GracefulShutdown
    spans: TracerProvider | None
    status: StatusWatch


def build_platform(settings: Settings, *, intents: IntentClassifier | None = None) -> Platform:
    """The platform of one data folder, which is made where it is missing.

    `intents` stands in for the ALBERT classifier that the settings name.
    """
    make_home(settings)
    connections = ExitStack()
    parts = _open_parts(settings, intents or AlbertIntentClassifier.load(settings.intent_model), connections)
    stores, knowledge, keep = parts.stores, parts.knowledge, connections.enter_context
    graphs, reading = CourseGraphs(stores, knowledge, shipped_encoder()), ReaderPool()
    folders = UploadFolders(settings.home / "ingests", reading)
    materials = CourseMaterials(
        stores,
        knowledge,
        reading=reading,
        folders=folders,
        private_websites=settings.website_private_addresses,
    )
    prompts = ChainOfTeach(load_examples(), budget=settings.prompt_tokens)
    assistant, offline = _build_assistants(parts, prompts)
    return Platform(
        settings=settings,
        stores=stores,
        index=parts.search.index,
        knowledge=knowledge,
        embedder=parts.search.vectors.questions if parts.search.vectors else None,
        reranker=parts.reranker,
        readers=bounded_readers(reading),
        reader=assistant.understanding,
        prompts=prompts,
        model=next(iter(parts.models.values()), None),
        models=parts.models,
        assistant=assistant,
        is_offline=not parts.models and not settings.searches_web,
        previewer=_previewer(assistant, knowledge),
        previewer_of=partial(_previewer, assistant),
        catalogue=CourseService(stores, knowledge),
        materials=keep(closing(materials)),
        sites=CourseSites(stores, materials),
        graphs=graphs,
        model_graphs=ModelGraphs(
            graphs,
            stores,
            new_model=partial(build_model, settings, parts.meter, answer_tokens=LONGEST_REPLY),
            alone=partial(alone, stores.engine, settings.home),
        ),
        analytics=AnalyticsService(stores, settings, SystemClock()),
        course_settings=CourseSettingsService(stores, settings),
        faq=FaqService(stores, knowledge),
        questions=_build_questions(parts, assistant.understanding, connections),
        learners=LearnerService(stores=stores, retention_days=settings.retention_days),
        people=PeopleService(stores=stores),
        webhook_worker=_build_webhook_worker(parts),
        mail_worker=_build_mail_worker(parts),
        test_runs=QuestionRuns(
            stores,
            knowledge,
            _previewer(offline, knowledge),
            SystemClock(),
            has_model=bool(parts.models),
        ),
        backups=_build_backups(parts),
        connections=connections,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The parts that the services of a platform share; `sentences` is the encoder of sentences, if any."""

    settings: Settings
    stores: Stores
    search: SearchParts
    knowledge: StoredKnowledge
    intents: IntentClassifier
    guard: Guard
    models: dict[str, OpenAiLanguageModel]
    meter: BackgroundMeter
    sentences: TokenTable | None
    reranker: Reranker | None


def _open_parts(settings: Settings, intents: IntentClassifier, connections: ExitStack) -> _Parts:
    """Open the parts; `connections` closes them, the store last."""
    stores = open_stores(settings.store_url, SystemClock(), timeout_s=settings.database_timeout_s)
    connections.callback(stores.close)
    search = build_search(
        settings, connections, courses=lambda: [course.id for course in stores.courses.courses()]
    )
    knowledge = StoredKnowledge(
        courses=stores.courses,
        documents=stores.documents,
        edits=stores.edits,
        index=search.index,
        vectors=search.vectors,
        dictionary=settings.home / "dictionary.json",
        alone=partial(alone, stores.engine, settings.home, "index-writer"),
    )
    connections.callback(knowledge.close)
    meter = BackgroundMeter(stores.usage)
    connections.callback(meter.close)
    return _Parts(
        settings=settings,
        stores=stores,
        search=search,
        knowledge=knowledge,
        intents=intents,
        guard=NgramGuard.load(),
        models=build_models(settings, meter),
        meter=meter,
        sentences=None if settings.embeddings_folder == NO_VECTORS else shipped_encoder(),
        reranker=build_reranker(settings, connections),
    )


def _build_assistants(parts: _Parts, prompts: ChainOfTeach) -> tuple[Assistant, Assistant]:
    """The assistant, and one of the same parts without a language model and search engines."""
    settings, stores = parts.settings, parts.stores
    analyser = Analyser()
    client: LanguageModel | None = None
    if parts.models:
        client = BudgetedModel(
            parts.models,
            terms=lambda course: stores.settings.settings(course).terms(settings.llm_course_tokens),
            answer_tokens=settings.llm_max_tokens,
            used=lambda course: parts.meter.settled(partial(stores.usage.tokens_today, course)),
        )
    build = partial(
        Assistant,
        courses=stores.courses,
        sessions=stores.sessions,
        knowledge=parts.knowledge,
        documents=stores.documents,
        exact_matches=stores.exact_matches,
        understanding=Understanding(
            intents=parts.intents,
            distress=DistressModel.load(shipped_encoder()),
            thresholds=settings.thresholds,
            guard=parts.guard,
            analyser=analyser,
        ),
        teacher=ComposingTeacher(analyser=analyser),
        chit_chat=CaringChitChat(budget=settings.prompt_tokens, help_lines=settings.help_lines),
        reranker=parts.reranker,
        audit=stores.audit,
        around_stage=stage_span,
    )
    find = partial(FactFinder, stores.facts, SystemClock())
    writer = Model(client=client, prompts=prompts) if client else None
    web = build_web_search(settings, analyser)
    return build(model=writer, web=web, facts=find(has_model=writer is not None)), build(facts=find())


def _previewer(assistant: Assistant, known: KnowledgeBase) -> Assistant:
    return assistant.beside(knowledge=known, sessions=EphemeralSessions(SystemClock()))


def _build_questions(parts: _Parts, reader: Understanding, connections: ExitStack) -> QuestionService:
    bands = QuestionBands(knowledge=parts.knowledge, reader=reader)
    connections.callback(bands.close)
    return QuestionService(parts.stores, parts.knowledge, bands, QuestionGrouping(parts.sentences))


def _build_webhook_worker(parts: _Parts) -> WebhookWorker:
    private = parts.settings.webhook_private_addresses
    client = HttpClient(private_addresses=private, timeout_s=LONGEST_TRY_S)
    return WebhookWorker(webhooks=parts.stores.webhooks, client=client, clock=SystemClock())


def _build_mail_worker(parts: _Parts) -> MailWorker:
    url, sender = parts.settings.smtp_url, parts.settings.mail_from
    server = MailServer(url=url, sender=sender) if url is not None and sender is not None else None
    return MailWorker(parts.stores, server=server, public_url=parts.settings.public_url)


def _build_backups(parts: _Parts) -> DailyBackups | None:
    settings = parts.settings
    if settings.backup_folder is None:
        return None
    return DailyBackups(
        stores=parts.stores,
        home=settings.home,
        folder=settings.backup_folder,
        kept=settings.backups_kept,
        clock=SystemClock(),
    )


def build_model(
    settings: Settings, meter: UsageMeter | None = None, name: str | None = None, *, answer_tokens: int = 0
) -> OpenAiLanguageModel | None:
    """The client of a language model, of the usual one unless `name` is offered; None without any.

    Its answers have at least room for `answer_tokens`.
    """
    offered, base_url = settings.course_models, settings.llm_base_url
    if base_url is None or not offered:
        return None
    from services.language_model.client import OpenAiLanguageModel  # a second to load

    return OpenAiLanguageModel(
        base_url=base_url,
        api_key=reveal(settings.llm_api_key),
        model=name if name in offered else offered[0],
        fallback=settings.llm_fallback_model,
        timeout_s=settings.llm_timeout_s,
        max_tokens=max(settings.llm_max_tokens, answer_tokens),
        new_breaker=partial(CircuitBreaker, failures=settings.llm_breaker_failures),
        meter=meter,
    )


def build_models(settings: Settings, meter: UsageMeter | None = None) -> dict[str, OpenAiLanguageModel]:
    """The clients of all models that a course may choose, by name, the usual one first."""
    built = ((name, build_model(settings, meter, name)) for name in settings.course_models)
    return {name: model for name, model in built if model is not None}


def build_web_search(settings: Settings, analyser: Analyser) -> WebSearch | None:
    """The search engines that are switched on, or None for none."""
    engines: list[WebSearch] = []
    timeout_s = settings.search_timeout_s
    if url := settings.search_engine_url:
        fetcher = JsonFetcher(name=Fault("name.search_engine"), url=url, timeout_s=timeout_s)
        engines.append(SearxngSearch(fetcher))
    if url := settings.academic_url:
        fetcher = JsonFetcher(name=Fault("name.academic_search"), url=url, timeout_s=timeout_s)
        engines.append(OpenAlexSearch(fetcher, api_key=reveal(settings.academic_api_key)))
    if not engines:
        return None
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # below, it tells addresses with query and key
    return SearchEngines(engines, analyser=analyser)
