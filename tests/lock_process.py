"""A process that takes and gives back locks between processes, as its standard input says."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.store.engine import open_engine
from services.store.process_locks import alone, open_process_locks


class LockProcess:
    """Another process of the platform, which can be killed."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        self.running = running

    def try_lock(self, name: str) -> bool:
        return self._say("try", name) == "True"

    def unlock(self, name: str) -> None:
        self._say("unlock", name)

    def stay_alone(self, name: str) -> None:
        """Be the only one with this name, for good."""
        assert self._say("stay", name) == "alone"

    def kill(self) -> None:
        self.running.kill()
        self.running.wait()

    def _say(self, *words: str) -> str:
        assert self.running.stdin is not None
        assert self.running.stdout is not None
        self.running.stdin.write(json.dumps(words) + "\n")
        self.running.stdin.flush()
        return self.running.stdout.readline().strip()


@contextmanager
def lock_process(url: str, home: Path) -> Iterator[LockProcess]:
    """A process that shares the database of a URL and, for SQLite, the data folder."""
    command = [sys.executable, __file__, url, str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield LockProcess(running)
        finally:
            running.kill()


async def _obey(url: str, home: Path) -> None:
    engine = open_engine(url)
    locks = open_process_locks(engine, home)
    while line := await asyncio.to_thread(sys.stdin.readline):
        what, name = json.loads(line)
        if what == "stay":
            with alone(engine, home, name):
                print("alone", flush=True)
                await asyncio.Event().wait()  # until it is killed
        print(await (locks.try_lock(name) if what == "try" else locks.unlock(name)), flush=True)


if __name__ == "__main__":
    asyncio.run(_obey(sys.argv[1], Path(sys.argv[2])))
