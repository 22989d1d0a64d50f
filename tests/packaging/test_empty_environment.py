"""The wheel with what requirements/run.txt names, in an empty environment of each Python that it promises."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from local_http import free_port

ROOT = Path(__file__).parents[2]
NOTE = "# Stack\n\nA stack is a list that is last in, first out. Push puts an element on its top.\n"
MOST_S = 120
"""A server that does not come up at all is given up after this."""

pytestmark = pytest.mark.packaging


def python(version: str) -> str:
    """A program of that version: of pyenv, or on the path."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    programs = [*map(str, root.glob(f"versions/{version}.*/bin/python")), shutil.which(f"python{version}")]
    for program in filter(None, programs):
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        if told.startswith(f"Python {version}."):
            return program
    pytest.skip(f"Python {version} is not proven: it is not installed")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_a_course_is_served_from_the_wheel_alone(version: str, wheel: Path, tmp_path: Path):
    """Made, read and asked over HTTP; it prints how long that took from the first command."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("VTA_", "PYTHON"))
    }
    environment["VTA_HOME"] = str(tmp_path / "home")

    def run(*command: str | Path) -> None:
        done = subprocess.run(
            list(map(str, command)),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]

    run(python(version), "-m", "venv", "env")
    pip = (
        tmp_path / "env" / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    )
    run(*pip, "--require-hashes", "--requirement", ROOT / "requirements" / "run.txt")
    run(*pip, "--no-deps", "--no-index", wheel)
    vta, port = tmp_path / "env" / "bin" / "vta", free_port()
    (tmp_path / "notes.md").write_text(NOTE, encoding="utf-8")
    start = time.monotonic()
    run(vta, "course", "add", "ds", "--name", "Stacks", "--domain", "CS", "--language", "en")
    run(vta, "ingest", "ds", "notes.md")
    server = subprocess.Popen([vta, "serve", "--port", str(port)], cwd=tmp_path, env=environment)
    try:
        answer = ask(f"http://127.0.0.1:{port}/v1/courses/ds/dialogue", start + MOST_S)
    finally:
        server.terminate()
        server.wait(30)
    print(f"Python {version}: served after {time.monotonic() - start:.1f} s")
    assert "last in, first out" in answer["text"]
    assert answer["citations"][0]["document"] == "notes.md"


def ask(address: str, until: float):
    """The answer, once the server is up."""
    request = urllib.request.Request(
        address, json.dumps({"question": "What is a stack?"}).encode(), {"Content-Type": "application/json"}
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.loads(reply.read())
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
