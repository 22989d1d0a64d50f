"""The pages of a website below an address, as the files of a folder that is named like the website."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from io import BytesIO
from pathlib import PurePosixPath
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from knowledge.search.http_client import HttpClient, Unreachable
from services.materials.uploads import GivenFile
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.types.answers import Rejection

MOST_PAGES = 500
LONGEST_S = 50.0
"""For all pages of a website, since whoever named it waits for them."""
PAGE_S = 10.0
LARGEST_PAGE = 20_000_000
"""Bytes, for a PDF that a page links."""
_AT_ONCE = 4
_AGENT = "vta-platform"
_PAGES = frozenset({"", ".html", ".htm", ".xhtml", ".php", ".aspx", ".jsp"})
_GONE = (404, 410)


@dataclass(frozen=True, slots=True, kw_only=True)
class Website:
    """What was fetched: pages and the files that they link, and what could not be had; dead links are not."""

    files: tuple[GivenFile, ...]
    failed: tuple[Rejection, ...]


class WebsiteReader:
    """Follows the links of pages as far as they stay below an address, and robots.txt lets it."""

    def __init__(self, client: HttpClient, *, wanted: Callable[[str], bool]) -> None:
        """`wanted` says of a path whether its kind of file is read."""
        self._client = client
        self._wanted = wanted

    async def fetch(self, address: str) -> Website:
        """`InvalidInput` where the address is none, cannot be reached, or holds too much to be waited for."""
        start = urldefrag(address.strip()).url
        parts = urlsplit(start)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise InvalidInput(Fault("website.address", address=address[:200]), field="address")
        start = start if parts.path else f"{start}/"
        visit = _Visit(start=start, rules=await self._rules(f"{parts.scheme}://{parts.netloc}/robots.txt"))
        try:
            async with asyncio.timeout(LONGEST_S), asyncio.TaskGroup() as group:
                for _ in range(_AT_ONCE):
                    group.create_task(self._follow(visit))
        except TimeoutError:
            reason = Fault("website.too_long", seconds=int(LONGEST_S))
            raise InvalidInput(reason, field="address") from None
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return Website(files=tuple(visit.files), failed=tuple(visit.failed))

    async def _rules(self, address: str) -> RobotFileParser:
        """What robots may look at; everything where the website does not say."""
        rules = RobotFileParser()
        try:
            reply = await self._client.send("GET", address, headers={"accept": "text/plain"})
            rules.parse(reply.content.decode("utf-8", "replace").splitlines())
        except Unreachable:
            rules.parse([])
        return rules

    async def _follow(self, visit: _Visit) -> None:
        while visit.under_way or visit.waiting:
            if not visit.waiting:  # another one may yet find links
                await asyncio.sleep(0.01)
                continue
            address = visit.waiting.popleft()
            visit.under_way += 1
            try:
                await self._take(visit, address)
            finally:
                visit.under_way -= 1

    async def _take(self, visit: _Visit, address: str) -> None:
        try:
            reply = await self._client.send("GET", address, headers={"accept": "*/*"})
        except Unreachable as failure:
            if address == visit.start:
                reason = Fault("website.unreachable", address=address, reason=str(failure))
                raise InvalidInput(reason, field="address") from failure
            if failure.status not in _GONE:
                reason = Fault("website.page", reason=str(failure))
                visit.failed.append(Rejection(path=address, fault=reason))
            return
        suffix = PurePosixPath(urlsplit(address).path).suffix.lower()
        is_page = suffix in _PAGES and reply.content.lstrip()[:1] == b"<"
        name = _name_of(address, is_page=is_page)
        if not self._wanted(name):
            return
        visit.files.append(GivenFile(name=name, file=BytesIO(reply.content)))
        if is_page:
            for link in await asyncio.to_thread(links_of, reply.content, address):
                visit.note(link, lambda path: path.endswith("/") or self._may_be_wanted(path))

    def _may_be_wanted(self, path: str) -> bool:
        return PurePosixPath(path).suffix.lower() in _PAGES or self._wanted(path)


class _Visit:
    """How far one website is fetched."""

    def __init__(self, *, start: str, rules: RobotFileParser) -> None:
        self.start = start
        self.waiting = deque([start])
        self.under_way = 0
        self.files: list[GivenFile] = []
        self.failed: list[Rejection] = []
        self._below = urljoin(start, ".")
        self._rules = rules
        self._known = {start}

    def note(self, link: str, may_be_read: Callable[[str], bool]) -> None:
        """Wait for a page that was not seen yet; `UpstreamFailed` where there are too many."""
        is_new = link not in self._known and link.startswith(self._below)
        if not is_new or not may_be_read(urlsplit(link).path) or not self._rules.can_fetch(_AGENT, link):
            return
        if len(self._known) >= MOST_PAGES:
            raise UpstreamFailed(Fault("website.too_many", most=MOST_PAGES))
        self._known.add(link)
        self.waiting.append(link)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (target := dict(attributes).get("href")):
            self.found.append(target)


def links_of(page: bytes, address: str) -> list[str]:
    """Where the links of a page lead, each once, without the part of a page; those with a query are left."""
    parser = _Links()
    parser.feed(page.decode("utf-8", "replace"))
    found = (urldefrag(urljoin(address, each.strip())).url for each in parser.found)
    return [each for each in dict.fromkeys(found) if not urlsplit(each).query]


def _name_of(address: str, *, is_page: bool) -> str:
    """The path of a page in the folder of its website; one that ends in a slash is its folder's index."""
    parts = urlsplit(address)
    path = unquote(parts.path).strip("/")
    if is_page and PurePosixPath(path).suffix.lower() not in (".html", ".htm", ".xhtml"):
        path = f"{path}/index.html" if path and parts.path.endswith("/") else f"{path or 'index'}.html"
    return f"{parts.hostname}/{path}"
