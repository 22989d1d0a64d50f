"""The circuit breaker, with a clock that the test turns."""

from __future__ import annotations

import pytest
from clocks import Seconds

from vta.breaker import CircuitBreaker


@pytest.fixture
def clock() -> Seconds:
    return Seconds(100.0)


@pytest.fixture
def breaker(clock: Seconds) -> CircuitBreaker:
    return CircuitBreaker(failures=3, cool_down_s=30.0, now=clock)


def fail(breaker: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        assert breaker.admits()
        breaker.failed()


def test_it_opens_after_so_many_failures_in_a_row(breaker: CircuitBreaker) -> None:
    fail(breaker, 2)
    breaker.succeeded()
    fail(breaker, 2)
    assert not breaker.is_open
    fail(breaker, 1)
    assert breaker.is_open
    assert not breaker.admits()


def test_after_the_cool_down_one_call_probes_and_its_success_closes(
    breaker: CircuitBreaker, clock: Seconds
) -> None:
    fail(breaker, 3)
    clock.seconds += 29.9
    assert not breaker.admits()
    clock.seconds += 0.1
    assert [breaker.admits() for _ in range(3)] == [True, False, False]
    breaker.succeeded()
    assert not breaker.is_open
    assert breaker.admits()


def test_a_probe_that_fails_opens_it_for_as_long_again(breaker: CircuitBreaker, clock: Seconds) -> None:
    fail(breaker, 3)
    clock.seconds += 30.0
    fail(breaker, 1)
    clock.seconds += 29.0
    assert not breaker.admits()
    clock.seconds += 1.0
    assert breaker.admits()


def test_a_probe_that_never_ends_does_not_keep_the_next_one_out(
    breaker: CircuitBreaker, clock: Seconds
) -> None:
    fail(breaker, 3)
    clock.seconds += 30.0
    assert breaker.admits()
    clock.seconds += 30.0
    assert breaker.admits()
