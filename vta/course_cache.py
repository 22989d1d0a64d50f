"""What is read of a course, kept until the course changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class CourseCache(Generic[T]):
    """One value of each of the courses, or sets of courses, that were asked for last.

    Safe to share between threads. A value is made once for all who ask at the same time. Nobody waits for the
    value of another course.
    """

    def __init__(self, most: int) -> None:
        """`most` courses are kept."""
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[Hashable, Future[T]]] = OrderedDict()
        self._lock = Lock()

    def get(self, course: Hashable, version: Hashable, make: Callable[[], T]) -> T:
        """The value of a course at a version, kept or made now. What `make` raises is not kept."""
        with self._lock:
            kept = self._kept.get(course)
            is_new = kept is None or kept[0] != version
            if kept is None or is_new:
                kept = self._kept[course] = version, Future()
            self._kept.move_to_end(course)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        future = kept[1]
        if is_new:
            try:
                future.set_result(make())
            except BaseException as failure:
                with self._lock:
                    if self._kept.get(course) is kept:
                        del self._kept[course]
                future.set_exception(failure)
        return future.result()
