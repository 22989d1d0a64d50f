"""A server that is killed while it edits the FAQ starts again, with all that it acknowledged, all found.

CI plays a few rounds; VTA_TEST_KILL_ROUNDS=200 plays many (docs/runs/kill_rounds.json).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from template_databases import new_database

SCRIPT = Path(__file__).parents[1] / "kill_rounds.py"
ROUNDS = int(os.environ.get("VTA_TEST_KILL_ROUNDS", "6"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120 + 20 * ROUNDS),
    pytest.mark.skipif(os.name != "posix", reason="kill -9 not proven: this system has no signals"),
]


def play(*options: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(SCRIPT), "--rounds", str(ROUNDS), *options]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    found = json.loads(done.stdout)
    assert found["failures"] == []
    assert found["rounds"] == ROUNDS
    assert found["edits_acknowledged"] > 0
    assert done.returncode == 0


def test_kill_rounds_over_sqlite(tmp_path: Path) -> None:
    """Store and index are both in the folder of the process that dies."""
    play("--home", str(tmp_path / "home"))


def test_kill_rounds_over_postgresql(tmp_path: Path, postgres_server: str) -> None:
    """The store lives on; the index in the folder must follow it."""
    with new_database(postgres_server) as url:
        play("--home", str(tmp_path / "home"), "--database", url)
