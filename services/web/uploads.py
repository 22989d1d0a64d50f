"""Limits of a request's body, and the files that it uploads."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from services.reading.given_files import MOST_FILES, GivenFile, UploadRefused
from services.web.layers import HttpLayer
from services.web.problems import BodyTooLarge
from vta.errors import InvalidInput
from vta.faults import Fault

LARGEST_BODY = 1_000_000
"""Bytes of a request."""
LARGEST_UPLOAD = 200_000_000
"""Bytes of all files of one form. They go to disk as they come."""
LARGEST_UPLOAD_MB = LARGEST_UPLOAD // 1_000_000
_MOST_PARSED = 5000
"""Files that are taken off a form, so that the refusal of more than `MOST_FILES` can say how many came."""
MOST_FIELDS = 20
_UPLOADS = re.compile(r"/console/[^/]+/(faq/import|materials)|/v1/courses/[^/]+/materials")


class BodyLimit(HttpLayer):
    """Refuses a body that is too large with 413 while it is read.

    A declared length is refused before the first byte; without one, the bytes are counted as they come, so
    no layer ever holds more. Instructors' uploads may be larger.
    """

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        largest = LARGEST_UPLOAD if _UPLOADS.fullmatch(scope["path"]) else LARGEST_BODY
        declared = Headers(scope=scope).get("content-length", "0")
        size = int(declared) if declared.isdecimal() else 0
        counted = 0

        async def receive_within_limit() -> Message:
            nonlocal counted
            if size > largest:
                raise BodyTooLarge(largest)
            message = await receive()
            counted += len(message.get("body", b""))
            if counted > largest:
                raise BodyTooLarge(largest)
            return message

        try:
            await self._app(scope, receive_within_limit, send)
        except BodyTooLarge as refused:  # read by a layer outside the application
            await refused.response()(scope, receive, send)


def given_file(upload: UploadFile) -> GivenFile:
    """The file with the folders that it has in a folder that was chosen."""
    return GivenFile(name=upload.filename or "", file=upload.file)


@asynccontextmanager
async def upload_form(request: Request) -> AsyncIterator[FormData]:
    """The form of a request, whose files are closed at the end. `UploadRefused` where it is none."""
    try:
        form = await request.form(max_files=_MOST_PARSED, max_fields=MOST_FIELDS)
    except HTTPException as refusal:
        if refusal.status_code != HTTPStatus.BAD_REQUEST:
            raise
        raise UploadRefused(Fault("upload.no_form", most=MOST_FILES), field="files") from refusal
    try:
        yield form
    finally:
        await form.close()


def uploads_of(form: FormData, name: str) -> tuple[UploadFile, ...]:
    """The files in a field of a form; `InvalidInput` where there is none, `UploadRefused` for too many."""
    sent = [each for each in form.getlist(name) if isinstance(each, UploadFile) and each.filename]
    if not sent:
        raise InvalidInput(Fault("upload.none"), field=name)
    if len(sent) > MOST_FILES:
        raise UploadRefused(Fault("upload.too_many", count=len(sent), most=MOST_FILES), field=name)
    return tuple(sent)
