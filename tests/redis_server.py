"""A Redis server of the tests' own, from the binary on the path."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry


@contextmanager
def run_redis(folder: Path, *, port: int = 0) -> Iterator[str]:
    """The URL of a running server on a socket in a folder; the test is skipped where there is none.

    With a `port` it listens there as well.
    """
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("Redis not proven: redis-server is not installed")
    path = folder / "redis.sock"
    command = [binary, "--port", str(port), "--unixsocket", str(path), "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with redis.Redis(unix_socket_path=str(path), retry=Retry(ConstantBackoff(0.05), 200)) as client:
                client.ping()
            yield f"unix://{path}"
        finally:
            process.terminate()
