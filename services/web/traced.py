"""Every request has an id, which its reply, its log lines and its calls to models bear, and may be traced."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from threading import Thread
from typing import TYPE_CHECKING

from opentelemetry.trace import Span, StatusCode
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.tracing import UnkeptSpans, request_span
from services.web.layers import HttpLayer, with_headers
from services.web.metrics import UNMATCHED, route_of
from vta import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

REQUEST_ID = "X-Request-Id"
CLOSING_S = 2.0
"""Seconds that the end of the process waits for a collector."""
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by machines, which no trace is worth."""
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_log = logging.getLogger(__name__)


class Traced(HttpLayer):
    """Takes X-Request-Id and traceparent of the caller, or makes them."""

    def __init__(self, app: ASGIApp, *, spans: TracerProvider | None = None) -> None:
        """`spans` is of this application alone: no other library of the process shares it."""
        super().__init__(app)
        self._unkept = UnkeptSpans()
        self._tracer = spans.get_tracer("vta", __version__) if spans else self._unkept

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, status = Headers(scope=scope), 499
        tracer = self._unkept if scope["path"] in _PROBES else self._tracer
        request_id, parent = headers.get(REQUEST_ID, ""), headers.get("traceparent", "")
        with request_span(scope["method"], request_id, parent, tracer) as (trace, span):

            async def send_on(message: Message) -> None:
                nonlocal status
                status = message.get("status", status)
                await send(message)

            def add(headers: MutableHeaders) -> None:
                headers[REQUEST_ID] = trace.request_id

            try:
                await self._app(scope, receive, with_headers(send_on, add))
            finally:
                if span.is_recording():
                    _describe(span, scope, status, trace.request_id)


def _describe(span: Span, scope: Scope, status: int, request_id: str) -> None:
    """By the route's template and the course, never by the address with its ids."""
    route, course = route_of(scope), scope.get("path_params", {}).get("course")
    span.update_name(f"{scope['method']} {route}" if route != UNMATCHED else scope["method"])
    span.set_attributes(
        {
            "http.request.method": scope["method"],
            "http.route": route,
            "http.response.status_code": status,
            "vta.request_id": request_id,
        }
    )
    if isinstance(course, str):
        span.set_attribute("vta.course", course[:128])
    if status >= 500:
        span.set_status(StatusCode.ERROR)


def are_spans_wanted(environ: Mapping[str, str]) -> bool:
    """True if an endpoint or the exporter `otlp` is named, and nothing switches traces off."""
    off = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    exporter = environ.get("OTEL_TRACES_EXPORTER", "").strip()
    named = exporter == "otlp" or any(environ.get(name) for name in _ENDPOINTS)
    return named and exporter in ("", "otlp") and not off


def open_spans(environ: Mapping[str, str]) -> TracerProvider | None:
    """Spans sent by OTLP over HTTP, behind the requests; address, sampler and batches by the variables.

    None where none are wanted or can be made.
    """
    if not are_spans_wanted(environ):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        _log.warning("OTEL_ variables ask for traces, which needs the extra otel: vta-platform[otel]")
        return None
    ours = Resource({SERVICE_NAME: "vta", SERVICE_VERSION: __version__})
    named = Resource.create(ours.merge(OTELResourceDetector().detect()).attributes)
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def close_spans(spans: TracerProvider) -> None:
    """Send what is left within `CLOSING_S`, and take no more."""
    closing = Thread(target=spans.shutdown, name="spans", daemon=True)
    closing.start()
    closing.join(CLOSING_S)
