"""The files of a set's courses: fetched by commit, checked, and read into a home by `vta`'s own commands."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import httpx2

from knowledge.search.http_client import UNPACKED, ReplyBound
from lab.bench.questions import BenchCourse
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault

_MOST_BYTES = 1_000_000_000
_PATIENCE_S = 120.0


def fetch_course(course: BenchCourse, folder: Path) -> int:
    """Bring the course's files into `folder`/ID and give their number; what lies there is only checked.

    `UpstreamFailed` where the archive cannot be had, `InvalidInput` where the files are not those of the set.
    """
    target = folder / course.id
    if not target.exists():
        unpacked = target.with_name(f".{course.id}.part")
        for path, content in _chosen(course, _download(course)):
            place = unpacked / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        if unpacked.exists():
            unpacked.replace(target)
    if files_hash(target) != course.sha256:
        raise InvalidInput(Fault("bench.files", folder=str(target), archive=course.archive), path=str(target))
    return sum(path.is_file() for path in target.rglob("*"))


def files_hash(folder: Path) -> str:
    """The SHA-256 over paths and bytes of a folder's files in order of path, 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def load_course(course: BenchCourse, folder: Path, home: Path | None) -> None:
    """`vta course add`, `vta ingest` and `vta graph build`, as an instructor would; a fault ends it."""
    where = ["--home", str(home)] if home else []
    domains = [word for domain in course.domains for word in ("--domain", domain)]
    named = ["--name", course.name, "--language", course.language.value, *domains]
    for command in (
        ["course", "add", course.id, *named],
        ["ingest", course.id, str(folder / course.id)],
        ["graph", "build", course.id],
    ):
        program = [sys.executable, "-m", "services.cli", *command, *where]
        done = subprocess.run(program, check=False)  # noqa: S603 - our own
        if done.returncode:
            raise InvalidInput(Fault("bench.command", command=f"vta {' '.join(command)}"))


def _download(course: BenchCourse) -> bytes:
    bound = {"response": [ReplyBound(most=_MOST_BYTES).bound]}
    try:
        with httpx2.Client(
            follow_redirects=True, timeout=_PATIENCE_S, headers=UNPACKED, event_hooks=bound
        ) as client:
            return client.get(course.archive).raise_for_status().content
    except httpx2.HTTPError as error:
        raise UpstreamFailed(Fault("bench.fetch", archive=course.archive, reason=str(error))) from error


def _chosen(course: BenchCourse, archive: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files that the course names, by their paths below the archive's one folder."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as packed:
        for member in packed:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if not member.isfile() or ".." in path.parts or path.is_absolute():
                continue
            if course.files.fullmatch(str(path)):
                content = packed.extractfile(member)
                if content is not None:
                    yield path, content.read()
