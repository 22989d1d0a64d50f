"""Files that instructors upload: how large they may be, how they are read, where they wait for a yes."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.types import ASGIApp, Receive, Scope, Send

from services.console.access import CSRF_FIELD, Visitor, check_origin
from services.http.limits import BodyLimit
from services.http.problems import ProblemRaised
from vta.errors import InvalidInput, NotFound, VtaError
from vta.types import CourseId

LARGEST_UPLOAD = 200_000_000
"""Bytes of all files of one form. They go to disk as they come."""
MOST_FILES = 100
_KEPT_S = 24 * 3600
_TOKEN = re.compile(r"[0-9a-f]{32}\.[a-z]{1,8}")
_UPLOADS = re.compile(r"/console/[^/]+/(faq/import|materials)")


class UploadLimit:
    """ASGI middleware: `BodyLimit`, with more room where instructors upload files."""

    def __init__(self, app: ASGIApp, *, largest: int) -> None:
        self._usual = BodyLimit(app, largest=largest)
        self._upload = BodyLimit(app, largest=LARGEST_UPLOAD)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        uploads = scope["type"] == "http" and _UPLOADS.fullmatch(scope["path"])
        await (self._upload if uploads else self._usual)(scope, receive, send)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file as the browser sent it; `name` has no folders."""

    name: str
    file: UploadFile


@asynccontextmanager
async def read_uploads(request: Request, visitor: Visitor, name: str) -> AsyncIterator[tuple[Upload, ...]]:
    """The files in a field of a form, checked as `read_form` checks a write; they are closed at the end.

    `InvalidInput` where there is none.
    """
    check_origin(request)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise ProblemRaised(403, "forbidden", "this is no form of ours with files")
    async with request.form(max_files=MOST_FILES, max_fields=20) as form:
        token = form.get(CSRF_FIELD, "")
        known = visitor.session.csrf.encode()
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), known):
            raise ProblemRaised(403, "forbidden", "this form has no valid token; load the page again")
        given = [each for each in form.getlist(name) if isinstance(each, UploadFile) and each.filename]
        if not given:
            raise InvalidInput("choose a file first", field=name)
        yield tuple(Upload(name=_plain(each.filename or ""), file=each) for each in given)


class Waiting:
    """Uploaded tables that wait for a yes, in a folder; one that nobody wanted goes after a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, course_id: CourseId, name: str, content: bytes) -> str:
        """Keep a file; returns what `read` finds it by."""
        folder = self._folder / course_id
        token = f"{secrets.token_hex(16)}{PurePosixPath(name).suffix.lower()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.iterdir():
                if time.time() - old.stat().st_mtime > _KEPT_S:
                    old.unlink(missing_ok=True)
            (folder / token).write_bytes(content)
        except OSError as error:
            raise VtaError(f"the upload cannot be kept: {error.strerror}") from error
        return token

    def find(self, course_id: CourseId, token: str) -> Path:
        """The file that was kept; `NotFound` where it is gone."""
        file = self._folder / course_id / token
        if not _TOKEN.fullmatch(token) or not file.is_file():
            raise NotFound("this upload is not here any more; upload it again")
        return file


async def save(uploads: Sequence[Upload], folder: Path) -> tuple[Path, ...]:
    """Write the files into a folder, each under its name; `InvalidInput` for a name given twice."""
    saved: list[Path] = []
    for upload in uploads:
        target = folder / upload.name
        if target in saved:
            raise InvalidInput(f"{upload.name}: given twice", field="files")
        with target.open("wb") as out:
            while piece := await upload.file.read(1 << 20):
                out.write(piece)
        saved.append(target)
    return tuple(saved)


def _plain(name: str) -> str:
    """The last part of a name, without what no file may be called by."""
    last = re.split(r"[/\\]", name)[-1].replace("\0", "").strip()
    if not last or last.startswith(".") or len(last.encode()) > 200:
        raise InvalidInput(f"{last[:50]!r} is no name of a file", field="files")
    return last
