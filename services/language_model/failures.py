"""Failures of the language model, in words that a student may read.

A reason never holds the key, the address or anything the server sent.
"""

from __future__ import annotations

import math
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace

import openai

from knowledge.search.http_client import CompressedReply, ReplyTooLarge
from services.language_model.manners import named_in
from vta.faults import Fault

LANGUAGE_MODEL = Fault("name.language_model")
EMBEDDINGS_SERVER = Fault("name.embeddings_server")

BACKOFF_S = 0.25
TOO_MANY_REQUESTS = 429
BUSY = frozenset({TOO_MANY_REQUESTS, 503, 529})
REFUSED_KEY = frozenset({401, 403})
SERVER_ERRORS = 500
REQUEST_TIMEOUT = 408
NOT_FOUND = 404
NO_SUCH_PATH = frozenset({NOT_FOUND, 405})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A `reason`, whether asking again may help, and the seconds the server asked us to wait first.

    `status` is the HTTP status when there was one, `named` the parameter and code that the server named, and
    `mend` the advice to the operator. `ill` says that it speaks against the server, not against
    what was asked. `elsewhere` says that another model may do better.
    """

    reason: Fault
    retryable: bool = False
    retry_after_s: float | None = None
    status: int | None = None
    ill: bool = True
    elsewhere: bool = True
    named: str = ""
    mend: Fault | None = None

    def wait_s(self, attempt: int) -> float:
        """Seconds to wait after attempt number `attempt`, counted from 0."""
        if self.retry_after_s is not None:
            return self.retry_after_s
        return BACKOFF_S * 2.0**attempt


TIMED_OUT = Failure(reason=Fault("model.timed_out", server=LANGUAGE_MODEL))
UNREACHABLE = Failure(reason=Fault("model.unreachable", server=LANGUAGE_MODEL), retryable=True)
UNTRUSTED = replace(UNREACHABLE, retryable=False, mend=Fault("model.mend_certificate"))
GARBAGE = Failure(reason=Fault("model.garbage", server=LANGUAGE_MODEL))
EMPTY = Failure(reason=Fault("model.empty", server=LANGUAGE_MODEL), ill=False)
WITHHELD = Failure(reason=Fault("model.withheld", server=LANGUAGE_MODEL), ill=False, elsewhere=False)
BROKEN_OFF = Failure(reason=Fault("model.broke_off", server=LANGUAGE_MODEL))
CUT_SHORT = Failure(reason=Fault("model.cut_short", server=LANGUAGE_MODEL), ill=False, elsewhere=False)
ENDLESS = Failure(reason=Fault("model.endless", server=LANGUAGE_MODEL))
PAUSED = Failure(reason=Fault("model.paused", server=LANGUAGE_MODEL), ill=False)


def failure_of(error: Exception, *, begun: bool = False) -> Failure:
    """The failure behind an exception; `begun` says that the answer was streaming."""
    match error:
        case TimeoutError() | openai.APITimeoutError():
            return TIMED_OUT
        case openai.APIError(__cause__=ReplyTooLarge() as bound) | (ReplyTooLarge() as bound):
            return GARBAGE if isinstance(bound, CompressedReply) else ENDLESS
        case openai.APIError() if begun:
            return BROKEN_OFF
        case openai.APIStatusError():
            return _failure_of_status(error)
        case openai.APIConnectionError():
            is_untrusted = any(isinstance(each, ssl.SSLCertVerificationError) for each in causes(error))
            return UNTRUSTED if is_untrusted else UNREACHABLE
        case _:
            return GARBAGE


def causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(8):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _failure_of_status(error: openai.APIStatusError) -> Failure:
    status, retry_after = error.status_code, error.response.headers.get("retry-after")
    if status in REFUSED_KEY:
        return Failure(
            reason=Fault("model.refused_key", server=LANGUAGE_MODEL), status=status, elsewhere=False
        )
    if status in BUSY:
        return Failure(
            reason=Fault("model.busy", server=LANGUAGE_MODEL),
            retryable=True,
            retry_after_s=_seconds(retry_after),
            status=status,
        )
    if status >= SERVER_ERRORS or status == REQUEST_TIMEOUT:
        return Failure(reason=Fault("model.internal", server=LANGUAGE_MODEL), retryable=True, status=status)
    return Failure(
        reason=Fault("model.not_accepted", server=LANGUAGE_MODEL),
        status=status,
        ill=False,
        named=named_in(error),
        mend=_mend_of(error),
    )


def _mend_of(error: openai.APIStatusError) -> Fault | None:
    """A server that knows the path says of a 404 what it has not found: the model."""
    is_nameless = error.status_code == NOT_FOUND and "model" in error.message.lower()
    if is_nameless or error.code == "model_not_found":
        return Fault("model.mend_name")
    return Fault("model.mend_path") if error.status_code in NO_SUCH_PATH else None


def _seconds(retry_after: str | None) -> float | None:
    """The seconds of a `Retry-After` header; None for a date or anything else."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
