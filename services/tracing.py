"""Which request is at work: an id for people, W3C Trace Context (traceparent), and spans by OpenTelemetry."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    NonRecordingSpan,
    NoOpTracer,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    Tracer,
    format_trace_id,
    get_current_span,
    use_span,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from vta.dialogue.tracing import unseen

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_WITH_TEXTS = frozenset({"follow_up"})
"""Stages whose decision repeats what a student wrote, which no span holds."""
_HEADERS = TraceContextTextMapPropagator()


class UnkeptSpans(NoOpTracer):
    """Spans that are not recorded; each has its own id, which requests to other servers name."""

    def start_span(self, name: str, context: Context | None = None, *_: Any, **__: Any) -> Span:
        parent = get_current_span(context).get_span_context()
        return NonRecordingSpan(
            SpanContext(
                trace_id=parent.trace_id or secrets.randbits(128),
                span_id=secrets.randbits(64),
                is_remote=False,
                trace_flags=parent.trace_flags,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A request by its own id and as a part of a trace (32 hex digits), with what makes its spans."""

    request_id: str
    trace_id: str
    tracer: Tracer


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """The request that this task or thread works for; None where it is none."""
    return _current.get()


@contextmanager
def request_span(
    name: str, request_id: str, traceparent: str, tracer: Tracer
) -> Iterator[tuple[Trace, Span]]:
    """Run the task for a request, by its headers if they are valid.

    The flag of the caller and the tracer decide whether its span is recorded.
    """
    parent = _HEADERS.extract({"traceparent": traceparent}, Context())
    with _at_work(tracer.start_span(name, parent, SpanKind.SERVER)) as begun:
        trace = Trace(
            request_id=request_id if _REQUEST_ID.fullmatch(request_id) else secrets.token_hex(8),
            trace_id=format_trace_id(begun.get_span_context().trace_id),
            tracer=tracer,
        )
        _current.set(trace)
        yield trace, begun


@contextmanager
def span(name: str, *, outgoing: bool = False) -> Iterator[Span]:
    """A span around a part of the work for the present request; `outgoing` where another server does it.

    Its attributes have the names of OpenTelemetry's semantic conventions where there are any. An `Exception`
    marks it as failed. One that is not recorded has an id only where it is `outgoing`.
    """
    trace = _current.get()
    if trace is None or (isinstance(trace.tracer, UnkeptSpans) and not outgoing):
        yield INVALID_SPAN
        return
    kind = SpanKind.CLIENT if outgoing else SpanKind.INTERNAL
    with _at_work(trace.tracer.start_span(name, kind=kind)) as begun:
        yield begun


def stage_span(stage: str) -> AbstractContextManager[Callable[[str], None]]:
    """`vta.dialogue.tracing.StageSpan`: a stage, with its decision where that is no student's text."""
    trace = _current.get()
    return unseen(stage) if trace is None or isinstance(trace.tracer, UnkeptSpans) else _kept_stage(stage)


@contextmanager
def _kept_stage(stage: str) -> Iterator[Callable[[str], None]]:
    with span(f"stage {stage}") as kept:

        def tell(decision: str) -> None:
            if stage not in _WITH_TEXTS:
                kept.set_attribute("vta.decision", decision)

        yield tell


def trace_headers() -> Mapping[str, str]:
    """The headers that let another server join the trace."""
    headers: dict[str, str] = {}
    _HEADERS.inject(headers)
    return headers


@contextmanager
def _at_work(begun: Span) -> Iterator[Span]:
    """Record the type of an exception, not its message, which may hold a student's words."""
    with use_span(begun, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield begun
        except Exception as error:
            begun.set_attribute("error.type", type(error).__name__)
            begun.set_status(StatusCode.ERROR)
            raise
