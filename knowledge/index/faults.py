"""The refusals of an index, in the same words for both engines."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from knowledge.index import STALE_SHARE
from vta.errors import Conflict, LimitExceeded, NotReady, VtaError
from vta.faults import Fault

_UNWRITABLE = (OSError, ValueError, sqlite3.Error)
"""Exceptions of Python, tantivy and SQLite that signal a full, damaged or foreign index folder."""
_UNREADABLE = (*_UNWRITABLE, KeyError, TypeError)
"""Includes a stored pair that can no longer be read as one."""


def no_generation() -> NotReady:
    """There is nothing to search yet."""
    return NotReady(Fault("index.empty"))


def damaged() -> NotReady:
    """The files of the embedded index cannot be read."""
    return NotReady(Fault("index.damaged"))


def reading() -> AbstractContextManager[None]:
    """Files of an index that cannot be read are `NotReady`."""
    return _not_ready(_UNREADABLE, lambda _: Fault("index.damaged"))


def writing() -> AbstractContextManager[None]:
    """Files of an index that cannot be written are `NotReady`, with the reason of the system."""
    return _not_ready(_UNWRITABLE, _not_written)


@contextmanager
def _not_ready(
    kinds: tuple[type[Exception], ...], explained: Callable[[BaseException], Fault]
) -> Iterator[None]:
    try:
        yield
    except VtaError:
        raise
    except BaseException as error:
        if isinstance(error, kinds) or _is_panic(error):
            raise NotReady(explained(error)) from error
        raise


def _is_panic(error: BaseException) -> bool:
    """True if tantivy gave up, as over a file that is cut short; the class cannot be imported."""
    return type(error).__name__ == "PanicException"


def check_since(current: str, since: str) -> None:
    """`Conflict` where the live generation is not at the stamp that an update starts from."""
    if current != since:
        raise Conflict(Fault("index.not_at", current=current, since=since))


def check_stale(stale: int, pairs: int) -> None:
    """`LimitExceeded` where more removed and replaced pairs would be in the statistics than may be.

    `stale` counts them after an update, `pairs` the pairs before it.
    """
    if stale > STALE_SHARE * pairs:
        raise LimitExceeded(Fault("index.too_stale", stale=stale, pairs=pairs))


def _not_written(error: BaseException) -> Fault:
    if isinstance(error, OSError) and error.strerror:
        return Fault("index.not_written", reason=error.strerror)
    return Fault("index.not_written_see_doctor")
