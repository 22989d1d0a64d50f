"""What went wrong at the language model, in words that a student may read.

A reason never holds the key, the address or anything the server sent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import openai

BACKOFF_S = 0.25
TOO_MANY_REQUESTS = 429
BUSY = frozenset({TOO_MANY_REQUESTS, 503, 529})
REFUSED_KEY = frozenset({401, 403})
SERVER_ERRORS = 500
REQUEST_TIMEOUT = 408


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A `reason`, whether asking again may help, and the seconds the server asked us to wait first.

    `status` is the HTTP status when there was one. `ill` says that it speaks against the server, not against
    what was asked. `elsewhere` says that another model may do better.
    """

    reason: str
    retryable: bool = False
    retry_after_s: float | None = None
    status: int | None = None
    ill: bool = True
    elsewhere: bool = True

    def wait_s(self, attempt: int) -> float:
        """Seconds to wait after attempt number `attempt`, counted from 0."""
        if self.retry_after_s is not None:
            return self.retry_after_s
        return BACKOFF_S * 2.0**attempt


TIMED_OUT = Failure(reason="the language model did not answer in time")
UNREACHABLE = Failure(reason="the language model cannot be reached", retryable=True)
GARBAGE = Failure(reason="the language model sent something that is not an answer")
EMPTY = Failure(reason="the language model sent an empty answer", ill=False)
WITHHELD = Failure(reason="the language model withheld its answer", ill=False, elsewhere=False)
BROKEN_OFF = Failure(reason="the language model broke off its answer")
CUT_SHORT = Failure(
    reason="the language model's answer was cut at its greatest length", ill=False, elsewhere=False
)
ENDLESS = Failure(reason="the language model did not come to an end")
PAUSED = Failure(reason="the language model failed too often and is left alone for a while", ill=False)


def failure_of(error: Exception) -> Failure:
    """The failure behind an exception raised before the answer began."""
    match error:
        case TimeoutError() | openai.APITimeoutError():
            return TIMED_OUT
        case openai.APIStatusError():
            return _failure_of_status(error.status_code, error.response.headers.get("retry-after"))
        case openai.APIConnectionError():
            return UNREACHABLE
        case _:
            return GARBAGE


def break_of(error: Exception) -> Failure:
    """The failure behind an exception raised while the answer was streaming."""
    match error:
        case TimeoutError() | openai.APITimeoutError():
            return TIMED_OUT
        case openai.APIError():
            return BROKEN_OFF
        case _:
            return GARBAGE


def _failure_of_status(status: int, retry_after: str | None) -> Failure:
    if status in REFUSED_KEY:
        return Failure(reason="the language model refused our key", status=status, elsewhere=False)
    if status in BUSY:
        return Failure(
            reason="the language model is busy",
            retryable=True,
            retry_after_s=_seconds(retry_after),
            status=status,
        )
    if status >= SERVER_ERRORS or status == REQUEST_TIMEOUT:
        return Failure(reason="the language model had an internal error", retryable=True, status=status)
    return Failure(reason="the language model did not accept the request", status=status, ill=False)


def _seconds(retry_after: str | None) -> float | None:
    """The seconds of a `Retry-After` header; a date, or anything else, counts as no wish."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
