"""Which failure an exception stands for."""

from __future__ import annotations

import ssl

import httpx2
import openai
import pytest

from services.language_model.failures import (
    BROKEN_OFF,
    GARBAGE,
    TIMED_OUT,
    UNREACHABLE,
    Failure,
    failure_of,
)

REQUEST = httpx2.Request("POST", "http://secret-host/v1")


def status_error(status: int, **headers: str) -> openai.APIStatusError:
    response = httpx2.Response(status, headers=headers, request=REQUEST)
    return openai.APIStatusError("secret words", response=response, body={"secret": "body"})


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        *((status, False) for status in (302, 400, 401, 403, 404, 409, 413, 422)),
        *((status, True) for status in (408, 429, 500, 502, 503, 504, 529)),
    ],
)
def test_only_what_may_pass_is_asked_again(status: int, retryable: bool) -> None:
    failure = failure_of(status_error(status))
    assert (failure.retryable, failure.status) == (retryable, status)


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        *(("2", 2.0), ("0", 0.0), ("1.5", 1.5)),
        *((wish, None) for wish in ("-1", "nan", "inf", "1e999", "Wed, 21 Oct 2026 07:28:00 GMT", "")),
    ],
)
def test_retry_after_counts_in_seconds(retry_after: str, seconds: float | None) -> None:
    assert failure_of(status_error(429, **{"Retry-After": retry_after})).retry_after_s == seconds


def test_without_retry_after_the_wait_doubles() -> None:
    assert [Failure(reason="busy").wait_s(attempt) for attempt in range(3)] == [0.25, 0.5, 1.0]
    assert Failure(reason="busy", retry_after_s=7.0).wait_s(2) == 7.0


def test_an_untrusted_certificate_is_told_from_a_server_that_is_away() -> None:
    error = openai.APIConnectionError(request=REQUEST)
    error.__cause__ = httpx2.ConnectError("failed")
    error.__cause__.__context__ = ssl.SSLCertVerificationError("self-signed certificate")
    failure = failure_of(error)
    assert failure.mend is not None
    assert "SSL_CERT_FILE" in failure.mend.text()
    assert not failure.retryable


@pytest.mark.parametrize(
    ("error", "before", "within"),
    [
        (TimeoutError(), TIMED_OUT, TIMED_OUT),
        (openai.APITimeoutError(request=REQUEST), TIMED_OUT, TIMED_OUT),
        (openai.APIConnectionError(request=REQUEST), UNREACHABLE, BROKEN_OFF),
        (openai.APIError("overloaded", REQUEST, body=None), GARBAGE, BROKEN_OFF),
        (ValueError("not JSON"), GARBAGE, GARBAGE),
        (RecursionError(), GARBAGE, GARBAGE),
    ],
)
def test_other_exceptions(error: Exception, before: Failure, within: Failure) -> None:
    assert (failure_of(error), failure_of(error, begun=True)) == (before, within)
