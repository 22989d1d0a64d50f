"""Which request is at work: an id for people, and W3C Trace Context (traceparent) for tracing systems."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A request by its own id and as a part of a trace: 32 hex digits, and 2 of flags."""

    request_id: str
    trace_id: str
    flags: str

    def traceparent(self) -> str:
        """The header of a request of ours to another server, each with a span of its own."""
        return f"00-{self.trace_id}-{secrets.token_hex(8)}-{self.flags}"


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """The request that this task or thread works for; None where it is none."""
    return _current.get()


def begin_trace(request_id: str = "", traceparent: str = "") -> Trace:
    """Let what follows in this task work for a request, by the headers it came with if they are sound."""
    parent = _TRACEPARENT.fullmatch(traceparent.strip())
    trace = Trace(
        request_id=request_id if _REQUEST_ID.fullmatch(request_id) else secrets.token_hex(8),
        trace_id=parent[1] if parent else secrets.token_hex(16),
        flags=parent[2] if parent else "00",
    )
    _current.set(trace)
    return trace
