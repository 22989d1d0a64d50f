"""The record of a benchmark: command, commit, hash of the data, machine, seed and figures."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from lab.evaluation.rows import data_hash

ROOT = Path(__file__).parents[1]
Result = TypeVar("Result")


class FilesRead:
    """The files below `places` that this process opens for reading from now on."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = [str(place.resolve()) for place in places if place.exists()]
        self._files: set[Path] = set()
        sys.addaudithook(self._note)

    def _note(self, event: str, given: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(given[0], str) or set(given[1] or "w") & set("wax+"):
            return
        path = os.path.abspath(given[0])
        if any(path.startswith(place) for place in self._places):
            self._files.add(Path(path))

    def sha256(self) -> str | None:
        """The hash of the files that still exist; None where there are none."""
        files = [file for file in list(self._files) if file.is_file()]
        return data_hash(files) if files else None


def make_record(
    command: str, figures: Mapping[str, Any], arguments: Mapping[str, Any], files: FilesRead
) -> dict[str, Any]:
    """A record; `seed` is that of the arguments or figures, 0 where neither has one."""
    git = ["git", "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*"]
    commit = subprocess.run(git, capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()
    return {
        "command": f"python -m benchmarks {command}",
        "commit": commit,
        "data_sha256": files.sha256(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"load average {os.getloadavg()[1]:.1f} over 5 minutes",
        "seed": arguments.get("seed", 0),
        **figures,
    }


def in_own_process(function: Callable[..., Result], *arguments: object) -> Result:
    """The result of a function that runs in a new process, so that its peak memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()
