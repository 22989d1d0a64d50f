"""Programs with which the files in deploy/ are checked.

`make deploy-tools` brings helm and promtool; caddy and nginx are packages of Debian.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from services.cli.main import app


def tool(name: str) -> str:
    """The program, beside our Python or on the path; the test is skipped where there is none."""
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = shutil.which(name, path=folders)
    if found is None:
        pytest.skip(f"not proven: {name} is not installed (make deploy-tools; caddy, nginx: from Debian)")
    return found


def run(name: str, *arguments: str | Path, given: str | None = None) -> str:
    """What the program says; the test fails where the program does."""
    command = [tool(name), *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def options_of(command: Sequence[str]) -> dict[str, Any]:
    """What the options of a command line of ours are understood as; the test fails where one is unknown."""
    name, *options = command
    group: Any = get_group(app)
    return dict(group.get_command(None, name).make_context(name, options).params)
