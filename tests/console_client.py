"""What tests of the console's pages share: which there are, an instructor, and the token of a form."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from fastapi.routing import iter_route_contexts
from playwright.sync_api import Page
from served_platform import ENGLISH, Served

from services.console_routes import router

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
def logged_in(api: Served, course: str = ENGLISH, name: str = "Ann") -> Iterator[httpx.Client]:
    """An instructor of the course with the cookie of their session, who asks for pages as a browser does."""
    with httpx.Client(
        base_url=api.address, trust_env=False, timeout=60.0, headers={"Accept": "text/html,*/*;q=0.8"}
    ) as client:
        log_in = client.post("/console/log-in", data={"key": api.key(course=course), "name": name})
        assert log_in.status_code == 303
        yield client


def open_console(api: Served, page: Page, part: str = "inbox", course: str = ENGLISH) -> None:
    """Ann logs in on the way to a page of the course's console."""
    page.goto(f"{api.address}/console/{course}/{part}")
    page.get_by_test_id("key").fill(api.key(course=course))
    page.get_by_test_id("name").fill("Ann")
    with page.expect_navigation():
        page.get_by_test_id("log-in").click()


def token(page: httpx.Response) -> str:
    """What a form of the page sends back, so that it is taken."""
    found = re.search(r'name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


def form_token(client: httpx.Client, course: str = ENGLISH) -> str:
    """The token of the session, from a form of the course."""
    return token(client.get(f"/console/{course}/faq/new"))


def shown(page: httpx.Response, testid: str) -> list[str]:
    """The words of the elements of a test id, without their markup."""
    found = re.findall(rf'data-testid="{testid}"[^>]*>(.*?)</(?:li|p|tr|h1|summary)>', page.text, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", " ", each).split()) for each in found]


def ended(ann: httpx.Client, started: httpx.Response) -> httpx.Response:
    """The page of an upload when it is over."""
    address = started.headers["location"]
    while ann.get(f"{address}/state").json()["running"]:
        threading.Event().wait(0.05)
    return ann.get(address)
