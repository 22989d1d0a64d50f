"""What tests of the console's pages share: an instructor who is logged in, and the token of a form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from served_platform import Served

from vta.types import CourseId, Role


@contextmanager
def logged_in(api: Served, course: CourseId) -> Iterator[httpx.Client]:
    """Ann, an instructor of the course, with the cookie of her session."""
    key, _ = api.platform.stores.keys.make(course, Role.INSTRUCTOR)
    with httpx.Client(base_url=api.address, trust_env=False, timeout=30.0) as client:
        assert client.post("/console/log-in", data={"key": key, "name": "Ann"}).status_code == 303
        yield client


def token(page: httpx.Response) -> str:
    """What a form of the page sends back, so that it is taken."""
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]
