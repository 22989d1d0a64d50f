"""Files that instructors upload in the console: how they are checked, where they wait for a yes."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath

from fastapi import Request

from services.http.callers import check_origin
from services.http.problems import forbidden
from services.http.uploads import Upload, upload_form, uploads_of
from services.identity.instructor_sessions import CSRF_FIELD, InstructorSession, check_token
from vta.errors import NotFound, VtaError
from vta.faults import Fault
from vta.types import CourseId

_KEPT_S = 24 * 3600
_TOKEN = re.compile(r"[0-9a-f]{32}\.[a-z]{1,8}")


@asynccontextmanager
async def read_uploads(
    request: Request, instructor: InstructorSession, name: str
) -> AsyncIterator[tuple[Upload, ...]]:
    """The files in a field of a form, checked as `read_form` checks a write; they are closed at the end.

    `InvalidInput` where there is none, `UploadRefused` where there are too many.
    """
    check_origin(request)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise forbidden(Fault("console.not_our_form"))
    async with upload_form(request) as form:
        token = form.get(CSRF_FIELD, "")
        check_token(token if isinstance(token, str) else "", instructor)
        yield uploads_of(form, name)


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
            raise VtaError(Fault("upload.not_kept", reason=error.strerror or "")) from error
        return token

    def find(self, course_id: CourseId, token: str) -> Path:
        """The file that was kept; `NotFound` where it is gone."""
        file = self._folder / course_id / token
        if not _TOKEN.fullmatch(token) or not file.is_file():
            raise NotFound(Fault("console.upload_gone"))
        return file
