"""Which request is at work: an id for people, W3C Trace Context (traceparent), and spans where wanted."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?"
)
_WITH_TEXTS = frozenset({"follow_up", "follow_up_model"})
"""Stages whose decision repeats what a student wrote, which no span holds."""

Attributes = Mapping[str, str | int | float | bool]


class Span(Protocol):
    """A piece of the work for a request, with its begin and end."""

    def note(self, attributes: Attributes) -> None:
        """Keep these, by the names of OpenTelemetry's semantic conventions where there are any."""
        ...

    def rename(self, name: str) -> None:
        """Give it the name that is known only at its end."""
        ...

    def fail(self) -> None:
        """Mark the work as failed."""
        ...


class Spans(Protocol):
    """Where spans are kept. Each lies within the one that is at work in this task or thread."""

    def request(self, name: str, traceparent: str) -> AbstractContextManager[Span]:
        """A request to this server, as a part of the caller's trace where the header is sound."""
        ...

    def part(self, name: str, *, outgoing: bool) -> AbstractContextManager[Span]:
        """A part of it; `outgoing` where another server does it. An `Exception` marks it as failed."""
        ...

    def traceparent(self) -> str:
        """The header that names the span at work."""
        ...

    def close(self) -> None:
        """Send what is left, and take no more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A request by its own id and as a part of a trace: 32 hex digits, and 2 of flags."""

    request_id: str
    trace_id: str
    flags: str
    spans: Spans | None = None

    def traceparent(self) -> str:
        """The header of a request of ours to another server, each with a span of its own."""
        if self.spans is not None:
            return self.spans.traceparent()
        return f"00-{self.trace_id}-{secrets.token_hex(8)}-{self.flags}"


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """The request that this task or thread works for; None where it is none."""
    return _current.get()


def begin_trace(request_id: str = "", traceparent: str = "", spans: Spans | None = None) -> Trace:
    """Let what follows in this task work for a request, by the headers it came with if they are sound."""
    parent = _TRACEPARENT.fullmatch(traceparent.strip())
    trace = Trace(
        request_id=request_id if _REQUEST_ID.fullmatch(request_id) else secrets.token_hex(8),
        trace_id=parent[1] if parent else secrets.token_hex(16),
        flags=parent[2] if parent else "00",
        spans=spans,
    )
    _current.set(trace)
    return trace


def span(name: str, *, outgoing: bool = False) -> AbstractContextManager[Span]:
    """A span around a part of the work for the present request; it is kept where spans are wanted."""
    trace = _current.get()
    if trace is None or trace.spans is None:
        return nullcontext(_UNKEPT)
    return trace.spans.part(name, outgoing=outgoing)


@contextmanager
def stage_span(stage: str) -> Iterator[Callable[[str], None]]:
    """`vta.dialogue.tracing.StageSpan`: a stage, with its decision where that is no student's text."""
    with span(f"stage {stage}") as kept:

        def tell(decision: str) -> None:
            if stage not in _WITH_TEXTS:
                kept.note({"vta.decision": decision})

        yield tell


class _Unkept:
    """A span where none is wanted."""

    def note(self, attributes: Attributes) -> None:
        pass

    def rename(self, name: str) -> None:
        pass

    def fail(self) -> None:
        pass


_UNKEPT = _Unkept()
