"""Makes the store of a data folder with the code of an earlier commit, for tests/data/homes.

    python tests/earlier_homes.py 8e3dbe2 tests/data/homes

The commit's own command line adds the two small courses and reads their files; its own server answers
questions in one session and hands the last one to a TA. The file is named by the commit's last migration.
"""

from __future__ import annotations

import argparse
import lzma
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
from small_platform import COURSES, write_files

ROOT = Path(__file__).parents[1]
ASKED = {
    "stacks-en": ("How do I get a certificate?", "What is a stack?", "When does the moon rise?"),
    "stacks-zh": ("怎样获得课程证书？", "什么是栈？", "月亮什么时候升起？"),
}
"""The first is an entry of the FAQ, the last is handed to a TA."""


def make(commit: str, folder: Path) -> Path:
    """The packed store that the commit has made."""
    with tempfile.TemporaryDirectory(prefix="vta-home-") as name:
        place = Path(name)
        code, home = place / "code", place / "home"
        _git("worktree", "add", "--detach", "--force", str(code), commit)
        try:
            _fill(code, home, place / "given")
        finally:
            _git("worktree", "remove", "--force", str(code))
        return _packed(home / "vta.db", folder)


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, cwd=ROOT, capture_output=True)


def _fill(code: Path, home: Path, given: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(code), "VTA_HOME": str(home)}
    command = [sys.executable, "-m", "services.cli"]

    def run(*arguments: str) -> None:
        subprocess.run([*command, *arguments], check=True, env=environment, cwd=code)

    for course, files in COURSES.values():
        domains = [part for domain in course.domains for part in ("--domain", domain)]
        run("course", "add", course.id, "--name", course.name, *domains, "--language", course.language)
        run("ingest", course.id, str(write_files(given / course.id, files)))
    with _served([*command, "serve"], environment, code) as address:
        for course_id, questions in ASKED.items():
            _ask(f"{address}/v1/courses/{course_id}", questions)


@contextmanager
def _served(command: list[str], environment: dict[str, str], code: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    with subprocess.Popen([*command, "--port", str(port)], env=environment, cwd=code) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            until = time.monotonic() + 120
            while time.monotonic() < until and server.poll() is None:
                try:
                    httpx.get(f"{address}/healthz", timeout=5.0, trust_env=False)
                    break
                except httpx.TransportError:
                    time.sleep(0.2)
            yield address
        finally:
            server.terminate()


def _ask(course: str, questions: tuple[str, ...]) -> None:
    session: dict[str, str] = {}
    with httpx.Client(timeout=60.0, trust_env=False) as client:
        for question in questions:
            reply = client.post(f"{course}/dialogue", json={"question": question} | session)
            answer = reply.raise_for_status().json()
            session = {"session_id": answer["session_id"]}
        client.post(f"{course}/turns/{answer['turn_id']}/ask-ta").raise_for_status()


def _packed(database: Path, folder: Path) -> Path:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
        (version,) = connection.execute("SELECT version_num FROM vta_schema_version").fetchone()
    packed = folder / f"{version}.db.xz"
    with database.open("rb") as plain, lzma.open(packed, "wb", preset=9) as file:
        shutil.copyfileobj(plain, file)
    return packed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    packed = make(options.commit, options.folder.resolve())
    print(packed, packed.stat().st_size)


if __name__ == "__main__":
    main()
