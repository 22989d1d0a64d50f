"""The web application: dialogue API, sidebar and operations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response

from services.console.routes import console_routes, install_log_in
from services.dialogue_api.concepts import concept_routes
from services.dialogue_api.routes import dialogue_routes
from services.dialogue_api.schemas import ReadyOut
from services.http.limits import BodyLimit
from services.http.problems import Problem, document_problems, install_problem_handlers
from services.instructor_api.admin_routes import admin_routes
from services.instructor_api.faq_routes import faq_routes
from services.instructor_api.question_routes import question_routes
from services.lti.routes import install_refusals, lti_routes
from services.sidebar.routes import sidebar_routes
from services.wiring import Platform
from vta import __version__
from vta.errors import NotReady, VtaError

_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
LARGEST_BODY = 1_000_000
"""Bytes of a request."""

_VITAL = ("store", "index")


class _Application(FastAPI):
    """An application whose problems are documented under their own media type."""

    def openapi(self) -> dict[str, Any]:
        return document_problems(super().openapi())


def create_app(platform: Platform) -> FastAPI:
    """The application over one platform, which it closes at shutdown."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(platform.knowledge.current)
        yield
        if platform.model is not None:
            await platform.model.aclose()
        platform.close()

    app = _Application(
        title="Virtual teaching assistant",
        version=__version__,
        lifespan=lifespan,
        description="Ask a course a question; every answer says where it comes from.",
    )
    install_problem_handlers(app)
    app.include_router(dialogue_routes(platform))
    app.include_router(faq_routes(platform))
    app.include_router(question_routes(platform))
    app.include_router(admin_routes(platform))
    app.include_router(console_routes(platform))
    install_log_in(app)
    app.include_router(lti_routes(platform))
    install_refusals(app)
    app.include_router(concept_routes(platform))
    app.include_router(sidebar_routes(platform))

    app.add_middleware(BodyLimit, largest=LARGEST_BODY)

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        if not request.url.path.startswith("/docs"):
            response.headers.setdefault("Content-Security-Policy", _POLICY)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "same-origin")
        return response

    @app.get("/healthz", tags=["operations"])
    async def health() -> dict[str, str]:
        """The process is alive."""
        return {"status": "ok"}

    @app.get("/readyz", tags=["operations"], responses={503: {"model": Problem}})
    async def ready() -> ReadyOut:
        """Whether questions can be answered; the problem names what stands in the way."""
        parts = await asyncio.to_thread(_check_parts, platform)
        broken = [f"{name}: {state}" for name, state in parts.items() if name in _VITAL and state != "ok"]
        if broken:
            raise NotReady("; ".join(broken))
        return ReadyOut(status="ok", parts=parts)

    return app


def _check_parts(platform: Platform) -> dict[str, str]:
    """Each part with ok, or what is wrong with it."""
    parts = {"language_model": "ok" if platform.model else "not configured; the offline teacher answers"}
    try:
        platform.stores.documents.revision()
        parts["store"] = "ok"
        platform.knowledge.current()
        parts["index"] = "ok" if platform.index.stamp() else NotReady.code
    except VtaError as failure:
        parts.setdefault("store", failure.message)
        parts.setdefault("index", failure.message)
    return parts
