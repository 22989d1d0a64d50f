"""Whether spans are wanted, by OpenTelemetry's own environment variables; imports nothing of it before."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from services.tracing import Spans

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
        from services.otel.spans import OtelSpans, exporting_provider
    except ModuleNotFoundError:
        _log.warning("OTEL_ variables ask for traces, which needs the extra otel: vta-platform[otel]")
        return None
    return OtelSpans(exporting_provider())
