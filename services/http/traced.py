"""Every request has an id, which its reply, its log lines and its calls to models bear, and may be traced."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.http.metrics import UNMATCHED, route_of
from services.tracing import Span, Spans, begin_trace

REQUEST_ID = "X-Request-Id"
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by machines, which no trace is worth."""


class Traced:
    """ASGI middleware: takes X-Request-Id and traceparent of the caller, or makes them."""

    def __init__(self, app: ASGIApp, *, spans: Spans | None = None) -> None:
        self._app = app
        self._spans = spans

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given, status = headers.get("traceparent", ""), 499
        spans = None if scope["path"] in _PROBES else self._spans
        with spans.request(scope["method"], given) if spans else nullcontext() as span:
            parent = spans.traceparent() if spans else given
            trace = begin_trace(headers.get(REQUEST_ID, ""), parent, spans)

            async def send_with_id(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                    MutableHeaders(scope=message)[REQUEST_ID] = trace.request_id
                await send(message)

            try:
                await self._app(scope, receive, send_with_id)
            finally:
                if span is not None:
                    _describe(span, scope, status, trace.request_id)


def _describe(span: Span, scope: Scope, status: int, request_id: str) -> None:
    """By the route's template and the course, never by the address with its ids."""
    route, course = route_of(scope), scope.get("path_params", {}).get("course")
    span.rename(f"{scope['method']} {route}" if route != UNMATCHED else scope["method"])
    span.note(
        {
            "http.request.method": scope["method"],
            "http.route": route,
            "http.response.status_code": status,
            "vta.request_id": request_id,
        }
    )
    if isinstance(course, str):
        span.note({"vta.course": course[:128]})
    if status >= 500:
        span.fail()


_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_log = logging.getLogger(__name__)


def are_spans_wanted(environ: Mapping[str, str]) -> bool:
    """Whether an endpoint or the exporter `otlp` is named, and nothing switches traces off."""
    off = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    exporter = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    named = exporter == "otlp" or any(environ.get(name) for name in _ENDPOINTS)
    return named and exporter in ("", "otlp") and not off


def open_spans(environ: Mapping[str, str]) -> Spans | None:
    """Spans sent by OTLP over HTTP as the variables say; None where none are wanted or can be made."""
    if not are_spans_wanted(environ):
        return None
    try:
        from services.otel import OtelSpans, exporting_provider
    except ModuleNotFoundError:
        _log.warning("OTEL_ variables ask for traces, which needs the extra otel: vta-platform[otel]")
        return None
    return OtelSpans(exporting_provider())
