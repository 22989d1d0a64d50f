"""A disk that takes no more: within a block no file of this process can grow past a size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Writing past `size` bytes of a file fails with EFBIG, in all threads; skipped where that cannot be."""
    if os.name != "posix":
        pytest.skip("full disk not proven: this system knows no limit on the size of files")
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
