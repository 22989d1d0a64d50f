"""Programs with which the files in deploy/ are checked.

`make deploy-tools` brings helm, kubeconform and promtool; caddy is a package of Debian.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def tool(name: str) -> str:
    """The program, beside our Python or on the path; the test is skipped where there is none."""
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    found = shutil.which(name, path=folders)
    if found is None:
        pytest.skip(f"not proven: {name} is not installed (make deploy-tools; caddy: Debian's package)")
    return found


def run(name: str, *arguments: str | Path, given: str | None = None) -> str:
    """What the program says; the test fails where the program does."""
    command = [tool(name), *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
