"""People who use the console without a real browser: accounts, log-ins and forms."""

from __future__ import annotations

import re
from typing import Any

import httpx
from console_client import token

from services.people.service import digest_of_password
from services.people.store import CourseRole, Person
from services.wiring import Platform
from vta.types.courses import CourseId

PASSWORD = "correct horse battery"


class Browser:
    """A browser that is given pages and their forms' tokens; what it sends comes from a page of ours."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def get(self, path: str) -> httpx.Response:
        return await self._client.get(path, headers={"Accept": "text/html"})

    async def post(self, path: str, page: str | None = None, **fields: str) -> httpx.Response:
        """Send a form, with the token of `page` where one is named."""
        if page is not None:
            fields["csrf"] = token(await self.get(page))
        return await self._client.post(path, data=fields, headers={"Accept": "text/html"})


def link_in(page: httpx.Response) -> str:
    found = re.search(r'data-testid="new-link">([^<]+)<', page.text)
    assert found, page.text
    return found[1]


def account(platform: Platform, name: str, *roles: tuple[CourseId, CourseRole], **given: Any) -> Person:
    """An account with a password and its courses."""
    person = platform.stores.people.add(name=name, email=f"{name}@uni.example", **given)
    platform.stores.people.set_password(person.id, digest_of_password(PASSWORD))
    for course, role in roles:
        platform.stores.memberships.put(course, person.id, role)
    return person


async def log_in(browser: Any, name: str, password: str = PASSWORD) -> Browser:
    opened: Browser = await browser()
    reply = await opened.post("/console/log-in", email=f"{name}@uni.example", password=password)
    assert reply.status_code == 303, reply.text
    return opened
