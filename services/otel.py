"""`services.tracing.Spans` by the SDK of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from services.tracing import Attributes
from vta import __version__

CLOSING_S = 2.0
"""How long the end of the process waits for a collector."""
_HEADERS = TraceContextTextMapPropagator()


def exporting_provider() -> TracerProvider:
    """Sends spans by OTLP over HTTP, behind the requests; address, sampler and batches by the variables."""
    ours = Resource({SERVICE_NAME: "vta", SERVICE_VERSION: __version__})
    named = Resource.create(ours.merge(OTELResourceDetector().detect()).attributes)
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class OtelSpans:
    """Spans of one provider, which no other library of the process shares."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("vta", __version__)

    @contextmanager
    def request(self, name: str, traceparent: str) -> Iterator[OtelSpan]:
        """As the protocol says; whether it is kept, the caller's flag and the sampler decide."""
        parent = _HEADERS.extract({"traceparent": traceparent}, context.Context())
        with self._around(self._tracer.start_span(name, parent, SpanKind.SERVER)) as span:
            yield span

    @contextmanager
    def part(self, name: str, *, outgoing: bool) -> Iterator[OtelSpan]:
        """As the protocol says."""
        kind = SpanKind.CLIENT if outgoing else SpanKind.INTERNAL
        with self._around(self._tracer.start_span(name, kind=kind)) as span:
            yield span

    def traceparent(self) -> str:
        """The header that names the span at work."""
        carrier: dict[str, str] = {}
        _HEADERS.inject(carrier)
        return carrier.get("traceparent", "")

    def close(self) -> None:
        """Send what is left within `CLOSING_S`, and take no more."""
        closing = Thread(target=self._provider.shutdown, name="spans", daemon=True)
        closing.start()
        closing.join(CLOSING_S)

    @contextmanager
    def _around(self, begun: trace.Span) -> Iterator[OtelSpan]:
        """The kind of an exception is kept and its words are not, since they may hold a student's."""
        span = OtelSpan(begun)
        with trace.use_span(begun, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield span
            except Exception as error:
                span.note({"error.type": type(error).__name__})
                span.fail()
                raise


class OtelSpan:
    """`services.tracing.Span` around a span of the SDK."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def note(self, attributes: Attributes) -> None:
        self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def fail(self) -> None:
        self._span.set_status(Status(StatusCode.ERROR))
