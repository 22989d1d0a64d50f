"""What a server frees in one thread serves the next: its threads share few arenas of memory."""

from __future__ import annotations

import platform
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from worker_server import worker_server

HEAP = 1 << 26
"""Bytes that glibc sets aside for an arena beside the first, at a multiple of that."""
MOST_HEAPS = 4
"""Two arenas, one of which may have grown beyond a heap; glibc's own limit gives 14 and more."""
AT_ONCE = 32


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="arenas not proven: the C library is not glibc")
@pytest.mark.parametrize("workers", [1, 2])
def test_threads_share_few_arenas(home: Path, workers: int) -> None:
    """However many questions are answered at once."""
    with worker_server(home, workers=workers) as server:
        pids = server.until_all_serve(workers) if workers > 1 else [server.running.pid]

        def ask(_: int) -> int:
            body = {"question": "Why do editors undo with a stack?"}
            address = f"{server.address}/v1/courses/stacks-en/dialogue"
            return httpx.post(address, json=body, timeout=60.0, trust_env=False).status_code

        with ThreadPoolExecutor(AT_ONCE) as threads:
            assert set(threads.map(ask, range(4 * AT_ONCE))) == {200}
        assert max(heaps(pid) for pid in pids) <= MOST_HEAPS


def heaps(pid: int) -> int:
    """The heaps of a process: that of the first arena, and those set aside for others."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    begins = re.findall(r"^(\w+)-\w+ rw-p 00000000 00:00 0 *$", maps, re.MULTILINE)
    return 1 + sum(int(begin, 16) % HEAP == 0 for begin in begins)
