"""Files that instructors upload: how large they may be, and how they get to disk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import FormData, UploadFile
from starlette.types import ASGIApp, Receive, Scope, Send

from services.http.limits import BodyLimit
from vta.errors import InvalidInput

LARGEST_UPLOAD = 200_000_000
"""Bytes of all files of one form. They go to disk as they come."""
MOST_FILES = 100
MOST_FIELDS = 20
_UPLOADS = re.compile(r"/console/[^/]+/(faq/import|materials)|/v1/courses/[^/]+/materials")


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
    """A file as it was sent; `name` has no folders."""

    name: str
    file: UploadFile


def uploads_of(form: FormData, name: str) -> tuple[Upload, ...]:
    """The files in a field of a form, which closes them; `InvalidInput` where there is none."""
    given = [each for each in form.getlist(name) if isinstance(each, UploadFile) and each.filename]
    if not given:
        raise InvalidInput("choose a file first", field=name)
    return tuple(Upload(name=_plain(each.filename or ""), file=each) for each in given)


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
