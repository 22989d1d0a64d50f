"""What is kept of a course: made once a version, and never waited for by another course."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from vta.course_cache import CourseCache
from vta.types.courses import CourseId

A, B, C = CourseId("a"), CourseId("b"), CourseId("c")


def test_a_course_that_takes_long_stalls_no_other():
    """Those who ask for it at once share one value; another course has its own meanwhile."""
    cache, begun, go_on, made = CourseCache[str](4), Event(), Event(), []

    def slowly() -> str:
        made.append(A)
        begun.set()
        go_on.wait(10)
        return "of a"

    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(cache.get, A, 1, slowly) for _ in range(3)]
        assert begun.wait(10)
        assert cache.get(B, 1, lambda: "of b") == "of b"
        go_on.set()
        assert [each.result() for each in waiting] == ["of a"] * 3
    assert made == [A]


def test_a_value_is_made_again_at_another_version_and_after_a_failure():
    cache = CourseCache[int](2)

    def fail() -> int:
        raise ValueError("away")

    with pytest.raises(ValueError, match="away"):
        cache.get(A, 1, fail)
    assert [cache.get(A, 1, lambda: 1), cache.get(A, 1, lambda: 2), cache.get(A, 2, lambda: 3)] == [1, 1, 3]
    cache.get(B, 1, lambda: 4)
    cache.get(C, 1, lambda: 5)
    assert cache.get(A, 2, lambda: 6) == 6
