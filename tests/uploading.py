"""Uploads by HTTP, as an instructor's program makes them."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx
from served_platform import Served

from vta.types.courses import CourseId


def upload(api: Served, course: CourseId, *files: tuple[str, bytes]) -> httpx.Response:
    address = f"/v1/courses/{course}/materials"
    given = [("files", each) for each in files]
    return api.client.post(address, files=given, headers=api.bearer(course=course))


def ended(api: Served, course: CourseId, started: httpx.Response, within_s: float) -> dict[str, Any]:
    """The ingest when it is over."""
    assert started.status_code == 202, started.text
    who, end = api.bearer(course=course), time.monotonic() + within_s
    while time.monotonic() < end:
        job: dict[str, Any] = api.client.get(started.headers["location"], headers=who).json()
        if job["state"] in ("done", "failed"):
            return job
        threading.Event().wait(0.05)
    raise AssertionError("the ingest has not ended")
