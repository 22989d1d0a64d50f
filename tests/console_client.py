"""What tests of the console's pages share: which there are, an instructor, and the token of a form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from fastapi.routing import iter_route_contexts
from served_platform import Served

from services.console.routes import router
from vta.types import CourseId, Role

_FILES = ("/csv", "/export", "/picture", "/text")
_OF_SOMETHING = ("graph/concept", "inbox/answer", "materials/file")
"""Pages whose query says what they show."""


def page_addresses() -> list[str]:
    """The pages of a course that need nothing but their address, which is given without the course's."""
    home = "/console/{course}/"
    found = (each for each in iter_route_contexts(router.routes) if each.path.startswith(home))
    paths = [each.path.removeprefix(home) for each in found if each.methods and "GET" in each.methods]
    return [each for each in paths if not (each in _OF_SOMETHING or each.endswith(_FILES) or "{" in each)]


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
