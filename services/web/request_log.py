"""The log: one JSON object a line, whatever the texts in it hold, and never a key."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.settings import Settings
from services.tracing import current_trace
from services.web.layers import HttpLayer
from services.web.metrics import Metrics, route_of

LOGGER = "vta.requests"
_OUR_KEYS = re.compile(r"\b(vta_[0-9a-f]{4})[0-9a-f]{8}_[\w-]{43}")
_WEBHOOK_SECRETS = re.compile(r"\bwhsec_[\w+/=-]{8,}")
_BEARER = re.compile(r"(?i)\b(bearer\s+|api[-_]?key[\"'=:\s]{1,4})([^\s\"',;]{5})[^\s\"',;]*")
_PASSWORD = re.compile(r"://[^:@/]*:((?:(?!://)\S)*)@")
_LONGEST = 20_000
"""Characters of one message or traceback."""


class Redaction:
    """Takes secrets out of texts: those that are known, our keys and webhook secrets, and bearers."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted({s for s in secrets if len(s) >= 4}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        text = _WEBHOOK_SECRETS.sub("whsec_[secret]", _OUR_KEYS.sub(r"\1…", text))
        return _BEARER.sub(r"\1[secret]", text)


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Every secret of the settings, with the passwords in their URLs as they are written and as they are."""
    found: list[str] = []
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            found.append(value.get_secret_value())
        elif isinstance(value, str):
            found += _passwords(value)
    return tuple(found)


def _passwords(value: str) -> list[str]:
    """As an address is split, and up to its last @: PostgreSQL takes `#`, `?` and `/` unencoded."""
    found = _PASSWORD.findall(value)
    for url in value.split(","):
        with suppress(ValueError):
            found.append(urlsplit(url.strip()).password or "")
    return [each for password in found for each in (password, unquote(password))]


class JsonLines(logging.Formatter):
    """A record as one JSON object on one line."""

    def __init__(self, redact: Redaction) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Control characters, line ends and ANSI escapes come out escaped, as JSON has them."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._redact(record.getMessage()[:_LONGEST]),
        }
        told = getattr(record, "request", None)
        if isinstance(told, dict):
            line |= {name: self._redact(v) if isinstance(v, str) else v for name, v in told.items()}
        trace = current_trace()
        if trace is not None:
            line |= {"request_id": trace.request_id, "trace_id": trace.trace_id}
        if record.exc_info:
            line["traceback"] = self._redact(self.formatException(record.exc_info))[-_LONGEST:]
        return json.dumps(line, ensure_ascii=True)


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to what is the standard error now, also where it was exchanged since."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


def start_log(settings: Settings) -> None:
    """Write the log of this process to the standard error, in place of what was written before."""
    handler = _StandardError()
    handler.setFormatter(JsonLines(Redaction(secrets_of(settings))))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(LOGGER).setLevel(logging.INFO)


class Observed(HttpLayer):
    """Counts and logs each request once its reply was sent or broken off."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        super().__init__(app)
        self._metrics = metrics

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status, sent = time.perf_counter(), 499, 0

        async def send_on(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            sent += len(message.get("body", b""))
            await send(message)

        with self._metrics.in_flight():
            try:
                await self._app(scope, receive, send_on)
            except Exception:
                status = 500
                raise
            finally:
                seconds = time.perf_counter() - began
                self._metrics.count_request(scope, status=status, seconds=seconds)
                _log_request(scope, status, seconds, sent)


def _log_request(scope: Scope, status: int, seconds: float, sent: int) -> None:
    """One line for a request: the route's template, never the address with its ids, and no text."""
    course = scope.get("path_params", {}).get("course")
    logging.getLogger(LOGGER).info(
        "request",
        extra={
            "request": {
                "method": str(scope["method"])[:10],
                "route": route_of(scope),
                "course": course[:128] if isinstance(course, str) else None,
                "status": status,
                "ms": round(seconds * 1000, 1),
                "bytes": sent,
            }
        },
    )
