"""The web application: dialogue API, sidebar and operations."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from services.analytics.routes import router as analytics_router
from services.archive.daily import LOOK_S
from services.clock import SystemClock
from services.console.faults import install_console_faults
from services.console_routes import router as console_router
from services.courses.admin_routes import router as admin_router
from services.courses.routes import router as settings_router
from services.dialogue.answering import Answering
from services.dialogue.completion_routes import router as completion_router
from services.dialogue.first_questions import FirstQuestions
from services.dialogue.routes import router as dialogue_router
from services.dialogue.schemas import ReadyOut
from services.facts.routes import router as facts_router
from services.faq.routes import replay_router
from services.faq.routes import router as faq_router
from services.graph.routes import concept_router
from services.graph.routes import router as graph_router
from services.learners.routes import router as learner_router
from services.lti.routes import install_refusals
from services.lti.routes import router as lti_router
from services.lti.tool import Tool
from services.materials.routes import router as material_router
from services.people.audit_routes import router as audit_router
from services.people.authenticator import Authenticator
from services.people.oidc import open_oidc
from services.questions.routes import router as question_router
from services.sidebar.routes import embed_router
from services.sidebar.routes import router as sidebar_router
from services.status.watch import LOOK_S as STATUS_EVERY_S
from services.status.watch import VITAL, StatusWatch, check_parts
from services.store.engine import refresh_statistics
from services.store.jobs import run_worker
from services.store.process_locks import ProcessLocks, open_process_locks
from services.store_metrics import open_metrics
from services.test_questions.routes import router as test_question_router
from services.web.api_page import api_page
from services.web.counters import open_counters
from services.web.fair_threads import FairThreads, ForCourse
from services.web.headers import SecurityHeaders
from services.web.idempotency import Idempotency
from services.web.problems import Problem, document_common, install_problem_handlers
from services.web.rate_limits import AddressLimit, RateLimits
from services.web.request_log import Observed
from services.web.serving import part_of_app
from services.web.shutdown import CLOSING, GracefulShutdown
from services.web.traced import Traced, close_spans, open_spans
from services.web.uploads import BodyLimit
from services.wiring import AppParts, Platform
from vta import __version__
from vta.errors import NotReady
from vta.faults import Fault

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

DAY_S = 24 * 3600.0
TESTS_EVERY_S = 15.0
"""Between two looks for test questions that are due."""

_log = logging.getLogger(__name__)


_operations = APIRouter(tags=["operations"])
_Parts = Annotated[AppParts, part_of_app(lambda parts: parts)]


@_operations.get("/healthz")
async def health() -> dict[str, str]:
    """The process is alive."""
    return {"status": "ok"}


@_operations.get("/readyz", responses={503: {"model": Problem}})
async def ready(parts: _Parts) -> ReadyOut:
    """200 where questions can be answered; else the problem names the broken parts."""
    if parts.closing.begun:
        raise NotReady(CLOSING)
    states = await asyncio.to_thread(check_parts, parts.platform)
    if (counting := await parts.counters.state()) is not None:
        states["redis"] = counting
    broken = [f"{name}: {state}" for name, state in states.items() if name in VITAL and state != "ok"]
    if broken:
        raise NotReady(Fault("api.parts_broken", parts="; ".join(broken)))
    return ReadyOut(status="ok", parts=states)


@_operations.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def expose_metrics(parts: _Parts) -> Response:
    """Counts for Prometheus; no ids, no texts, no keys."""
    return Response(await asyncio.to_thread(parts.metrics.expose), media_type=parts.metrics.media_type)


@_operations.get("/docs", include_in_schema=False)
async def show_api(request: Request) -> HTMLResponse:
    """The API for people; no script, ours or another's."""
    return HTMLResponse(await asyncio.to_thread(api_page, request.app.openapi()))


_ROUTES = [
    route
    for router in (
        dialogue_router,
        completion_router,
        faq_router,
        facts_router,
        test_question_router,
        question_router,
        replay_router,
        graph_router,
        material_router,
        settings_router,
        admin_router,
        audit_router,
        analytics_router,
        learner_router,
        console_router,
        concept_router,
        lti_router,
        sidebar_router,
        embed_router,
        _operations,
    )
    for route in router.routes
]
"""All routes, built once for a process, since `include_router` builds dependencies for each application."""


class _Application(FastAPI):
    """An application with the common parts of its OpenAPI document."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = document_common(super().openapi())
        return self.openapi_schema


def create_app(platform: Platform, spans: TracerProvider | None = None) -> FastAPI:
    """The application over one platform, which it closes at shutdown, as it does `spans`.

    Without `spans` the environment decides whether and where they are recorded.
    """
    parts = _open_parts(platform, spans or open_spans(os.environ))
    app = _Application(
        title="Virtual teaching assistant",
        version=__version__,
        lifespan=_lifespan,
        description="Ask a course a question; every answer says where it comes from.",
        routes=_ROUTES,
        docs_url=None,
        redoc_url=None,
    )
    app.state.parts = parts
    install_problem_handlers(app)
    install_console_faults(app)
    install_refusals(app)
    _add_middleware(app, parts)
    return app


def _open_parts(platform: Platform, spans: TracerProvider | None) -> AppParts:
    settings = platform.settings
    counters = open_counters(settings)
    metrics = open_metrics(platform)
    limits = RateLimits(settings, shared=counters, refused=metrics.count_limited)
    closing = GracefulShutdown(settings.grace_s)
    locks = open_process_locks(platform.stores.engine, settings.home)
    authenticator = Authenticator(platform)
    answering = Answering(
        platform, authenticator, limits=limits, metrics=metrics, closing=closing, locks=locks
    )
    metrics.load.watch_turns(answering.load)
    return AppParts(
        platform=platform,
        authenticator=authenticator,
        answering=answering,
        first_questions=FirstQuestions(platform),
        lti=Tool(platform),
        oidc=open_oidc(settings),
        limits=limits,
        counters=counters,
        metrics=metrics,
        locks=locks,
        closing=closing,
        spans=spans,
        status=StatusWatch(platform, SystemClock()),
    )


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open what runs beside the requests, and close the platform after the last one."""
    parts: AppParts = app.state.parts
    platform, metrics, locks = parts.platform, parts.metrics, parts.locks
    parts.closing.attach()
    threads = FairThreads(rest=not platform.is_offline)
    asyncio.get_running_loop().set_default_executor(threads)
    metrics.load.watch_threads(threads)
    await asyncio.to_thread(platform.materials.sweep)
    await asyncio.to_thread(refresh_statistics, platform.stores.engine)
    await asyncio.to_thread(platform.knowledge.current)
    stopping = asyncio.Event()
    backups = platform.backups.make_due if platform.backups else None
    working = [
        asyncio.create_task(run_worker(work, stopping, every_s=every_s, name=name))
        for name, work, every_s in (
            ("webhooks", platform.webhook_worker.deliver_due, 1.0),
            ("notices", partial(asyncio.to_thread, platform.mail_worker.send_due), 10.0),
            ("releases", partial(asyncio.to_thread, platform.materials.release_due), 15.0),
            ("websites", partial(read_site, parts, stopping), LOOK_S),
            ("test questions", partial(run_tests, parts, stopping), TESTS_EVERY_S),
            ("daily sweep", partial(work_alone, locks, "sweeper", platform.learners.sweep), DAY_S),
            ("daily backups", partial(work_alone, locks, "daily backups", backups), LOOK_S),
            ("status", parts.status.look, STATUS_EVERY_S),
        )
    ]
    sampling = asyncio.create_task(metrics.load.sample_regularly())
    yield
    stopping.set()
    sampling.cancel()
    await asyncio.wait({*working, sampling})
    for model in platform.models.values():
        await model.aclose()
    await parts.counters.aclose()
    await locks.aclose()
    if parts.spans is not None:
        await asyncio.to_thread(close_spans, parts.spans)
    platform.close()


async def work_alone(locks: ProcessLocks, name: str, work: Callable[[], object] | None) -> int:
    """Run `work`, if any, in a thread, unless another process has the lock of this name. Always 0."""
    if work is not None and await locks.try_lock(name):
        await asyncio.to_thread(work)
    return 0


async def read_site(parts: AppParts, stopping: asyncio.Event) -> int:
    """Read the website that is due again longest, in one process alone; how many. It ends with `stopping`."""
    if not await parts.locks.try_lock("websites"):
        return 0
    reading = asyncio.create_task(parts.platform.sites.read_due())
    ending = asyncio.create_task(stopping.wait())
    await asyncio.wait({reading, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if not reading.done():
        reading.cancel()
    with suppress(asyncio.CancelledError):
        return await reading
    return 0


async def run_tests(parts: AppParts, stopping: asyncio.Event) -> int:
    """Run the test questions that are due, in one process alone. 0.

    None begins while this process answers a student; what other processes answer is not seen.
    """

    async def quiet() -> bool:
        while parts.answering.load() and not stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), 0.05)
        return not stopping.is_set()

    if await parts.locks.try_lock("test questions"):
        await parts.platform.test_runs.run_due(quiet)
    return 0


def _add_middleware(app: FastAPI, parts: AppParts) -> None:
    """From the innermost to the outermost."""
    stores = parts.platform.stores
    app.add_middleware(Idempotency, store=stores.idempotency, check_key=stores.keys.check)
    app.add_middleware(BodyLimit)
    app.add_middleware(AddressLimit, limits=parts.limits)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(ForCourse)
    app.add_middleware(Observed, metrics=parts.metrics)
    app.add_middleware(Traced, spans=parts.spans)
    proxies = [str(network) for network in parts.platform.settings.proxy_networks]
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)
