"""Work on the next items while one is used."""

from threading import Barrier, Lock

import pytest

from vta.prefetch import prefetch


def test_results_come_in_the_order_of_the_items() -> None:
    assert [each.result() for each in prefetch(lambda n: n * n, range(20), threads=3)] == [
        n * n for n in range(20)
    ]


def test_two_items_are_worked_on_at_once() -> None:
    """Each waits for the other; one after the other they would wait for ever."""
    together = Barrier(2, timeout=10)
    assert [
        each.result() is not None for each in prefetch(lambda _: together.wait(), range(4), threads=2)
    ] == [True] * 4


def test_a_failure_stands_in_its_own_place() -> None:
    results = list(prefetch(lambda n: 12 // n, [3, 0, 4], threads=2))
    assert results[0].result() == 4
    with pytest.raises(ZeroDivisionError):
        results[1].result()
    assert results[2].result() == 3


def test_no_more_is_kept_than_is_worked_on() -> None:
    """Results of a long sequence do not pile up behind a slow reader."""
    begun, lock = [], Lock()

    def work(n: int) -> int:
        with lock:
            begun.append(n)
        return n

    results = prefetch(work, range(100), threads=2)
    assert next(results).result() == 0
    assert len(begun) <= 3
    results.close()
    assert len(begun) <= 3
