"""Replies that are files of their own: a table to save, a picture to show."""

from __future__ import annotations

from fastapi.responses import PlainTextResponse, Response

PICTURE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}
"""A picture may load nothing and run nothing."""


def csv_file(name: str, text: str) -> Response:
    """A table as a file to save under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, media_type="text/csv", headers=headers)
