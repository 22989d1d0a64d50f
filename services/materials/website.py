"""The pages of a website below an address, or the files of a ZIP, in a folder named like the address."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urljoin, urlsplit

from knowledge.search.http_client import Cause, HttpClient, Unreachable
from knowledge.sources.visibility import Unpacked
from services.materials.uploads import unpack
from services.reading.given_files import GivenFile, relative_name
from services.reading.links import MOST_LINKS, resolved
from services.reading.pool import ReaderPool
from services.store.process_locks import ProcessFolders
from vta.errors import InvalidInput, LimitExceeded, UpstreamFailed
from vta.faults import Fault
from vta.types.answers import Rejection
from vta.types.courses import CourseId

MOST_AT_ONCE = 2
"""Websites, of one process; of one course one."""
MOST_PAGES = 500
LARGEST_SITE = 200_000_000
"""Bytes of all pages."""
LARGEST_ROBOTS = 500_000
"""Bytes, see RFC 9309."""
LONGEST_S = 50.0
"""Seconds for all pages of a website, for which the instructor waits."""
PAGE_S = 10.0
LARGEST_PAGE = 20_000_000
"""Bytes, for a PDF that a page links."""
LARGEST_ARCHIVE = 100_000_000
"""Bytes of a ZIP, which is in memory as a whole."""
_GITHUB = re.compile(
    r"https://(?:www\.)?github\.com/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?"
    r"(?:/(?:tree|archive(?:/refs/(?:heads|tags))?)/(?P<ref>[\w./-]+?))?(?:\.zip)?/?"
)
"""A repository, or one of its branches or tags; its own addresses of ZIPs redirect."""
LONGEST_START = 2000
"""Bytes of an address with its escapes; an index of PostgreSQL takes no more than 2704."""
_AT_ONCE = 4
_PAGES = frozenset({"", ".html", ".htm", ".xhtml", ".php", ".aspx", ".jsp"})
_GONE = (404, 410)


@dataclass(frozen=True, slots=True, kw_only=True)
class Website:
    """Fetched pages, or unpacked files, all in `folder`, and what `failed`, without dead links.

    Of a ZIP also what `Unpacked` says: the files that wait for their release, and those of other kinds.
    """

    folder: str
    files: tuple[GivenFile, ...]
    failed: tuple[Rejection, ...]
    release_at: Mapping[str, datetime] = field(default_factory=dict)
    passed_over: tuple[str, ...] = ()


class WebsiteReader:
    """Follows the links of pages as far as they stay below an address, and robots.txt lets it."""

    def __init__(
        self,
        client: HttpClient,
        *,
        archives: HttpClient,
        wanted: Callable[[str], bool],
        reading: ReaderPool,
        folders: ProcessFolders,
    ) -> None:
        """`archives` fetches ZIPs; `wanted` says of a path whether its kind of file is read.

        Pages lie in `folders` meanwhile.
        """
        self._client = client
        self._archives = archives
        self._wanted = wanted
        self._reading = reading
        self._folders = folders
        self._under_way: set[CourseId] = set()

    @asynccontextmanager
    async def fetch(self, course_id: CourseId, address: str) -> AsyncIterator[Website]:
        """The pages, or the files of a ZIP, which are there within the context.

        A repository of GitHub is read as its ZIP.
        `InvalidInput` where the address is none, cannot be reached, or holds too much; `LimitExceeded` where
        the course's website, or `MOST_AT_ONCE`, are being fetched.
        """
        if course_id in self._under_way or len(self._under_way) >= MOST_AT_ONCE:
            raise LimitExceeded(Fault("website.busy"))
        start = start_of(address)
        self._under_way.add(course_id)
        try:
            with TemporaryDirectory(dir=self._folders.own(), ignore_cleanup_errors=True) as folder:
                if _archive_of(start):
                    yield await self._unpacked(start, Path(folder))
                    return
                robots = await self._robots(urljoin(start, "/robots.txt"))
                yield await self._fetch(_Visit(start=start, robots=robots, folder=Path(folder)))
        finally:
            self._under_way.discard(course_id)

    async def _unpacked(self, address: str, folder: Path) -> Website:
        try:
            reply = await self._archives.send("GET", _archive_of(address), headers={"accept": "*/*"})
        except Unreachable as failure:
            fault = Fault("website.unreachable", address=address, reason=str(failure))
            if failure.cause is Cause.TOO_LARGE:
                fault = Fault("website.archive", address=address, megabytes=LARGEST_ARCHIVE // 1_000_000)
            raise InvalidInput(fault, field="address") from failure
        return await asyncio.to_thread(self._unpack, address, reply.content, folder)

    def _unpack(self, address: str, content: bytes, folder: Path) -> Website:
        """The files of a ZIP; the one folder that has them all, which a branch names, is left out."""
        packed, files, found = folder / "archive", folder / "files", Unpacked()
        packed.write_bytes(content)
        files.mkdir()
        paths = unpack(packed, files, path="archive.zip", reading=self._reading, into=found)
        tops = {each.partition("/")[0] for each in (*paths, *found.passed_over) if "/" in each}
        is_in_one = len(tops) == 1 and all("/" in each for each in (*paths, *found.passed_over))
        top, home = f"{tops.pop()}/" if is_in_one else "", _home_of(address)
        release_at = dict[str, datetime]()
        for path, opens in found.release_at.items():
            with suppress(InvalidInput):  # a name that no file is stored under
                release_at[relative_name(home + path.removeprefix(top))] = opens
        return Website(
            folder=home,
            files=tuple(GivenFile(name=home + each.removeprefix(top), file=files / each) for each in paths),
            failed=tuple(found.refused),
            release_at=release_at,
            passed_over=tuple(home + each.removeprefix(top) for each in found.passed_over),
        )

    async def _fetch(self, visit: _Visit) -> Website:
        try:
            async with asyncio.timeout(LONGEST_S), asyncio.TaskGroup() as group:
                for _ in range(_AT_ONCE):
                    group.create_task(self._follow(visit))
        except TimeoutError:
            reason = Fault("website.too_long", seconds=int(LONGEST_S))
            raise InvalidInput(reason, field="address") from None
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        below = urlsplit(visit.below)
        folder = f"{below.hostname}{unquote(below.path)}"
        return Website(folder=folder, files=tuple(visit.files), failed=tuple(visit.failed))

    async def _robots(self, address: str) -> str:
        """The robots.txt of a website, empty where it has none.

        `InvalidInput` for one that cannot be fetched, which forbids all (RFC 9309), or is too long.
        """
        try:
            reply = await self._client.send("GET", address, headers={"accept": "text/plain"})
        except Unreachable as failure:
            if failure.status is not None and failure.status < 500:
                return ""
            fault = Fault("website.robots", address=address, reason=str(failure))
            if failure.status is None:
                fault = Fault("website.unreachable", address=address, reason=str(failure))
            raise InvalidInput(fault, field="address") from failure
        if len(reply.content) > LARGEST_ROBOTS:
            reason = f"more than {LARGEST_ROBOTS} bytes"
            raise InvalidInput(Fault("website.robots", address=address, reason=reason), field="address")
        return reply.content.decode("utf-8", "replace")

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
        file = visit.place_for(name, len(reply.content))
        await asyncio.to_thread(file.write_bytes, reply.content)
        if is_page:
            await self._follow_links(visit, file, address)

    async def _follow_links(self, visit: _Visit, page: Path, address: str) -> None:
        try:
            found = json.loads(await asyncio.to_thread(self._links, visit, page, address))
        except InvalidInput as fault:
            if fault.field == "address":
                raise
            visit.failed.append(Rejection(path=address, fault=fault.fault))
            return
        if not found["is_all"]:
            visit.failed.append(Rejection(path=address, fault=Fault("website.links", most=MOST_LINKS)))
        for link in found["links"]:
            path = urlsplit(link).path
            may_be_page = path.endswith("/") or PurePosixPath(path).suffix.lower() in _PAGES
            if may_be_page or self._wanted(path):
                visit.note(link)

    def _links(self, visit: _Visit, page: Path, address: str) -> bytes:
        with page.open("rb") as file:
            return self._reading.run("links", file, path=address, below=visit.below, robots=visit.robots)


def open_website_reader(
    *, private: bool, wanted: Callable[[str], bool], reading: ReaderPool, folders: ProcessFolders
) -> WebsiteReader:
    """A reader of public addresses, or of `private` ones too."""
    return WebsiteReader(
        HttpClient(private_addresses=private, timeout_s=PAGE_S, largest_reply=LARGEST_PAGE),
        archives=HttpClient(private_addresses=private, timeout_s=LONGEST_S, largest_reply=LARGEST_ARCHIVE),
        wanted=wanted,
        reading=reading,
        folders=folders,
    )


class _Visit:
    """The state of one crawl."""

    def __init__(self, *, start: str, robots: str, folder: Path) -> None:
        self.start = start
        self.robots = robots
        self.below = urljoin(start, ".")
        self.waiting = deque([start])
        self.under_way = 0
        self.files: list[GivenFile] = []
        self.failed: list[Rejection] = []
        self._folder = folder
        self._size = 0
        self._known = {start}

    def place_for(self, name: str, size: int) -> Path:
        """The file for a page; `InvalidInput` once all pages together are too large."""
        self._size += size
        if self._size > LARGEST_SITE:
            megabytes = LARGEST_SITE // 1_000_000
            raise InvalidInput(Fault("website.too_large", megabytes=megabytes), field="address")
        file = self._folder / str(len(self.files))
        self.files.append(GivenFile(name=name, file=file))
        return file

    def note(self, link: str) -> None:
        """Queue a page that was not seen yet; `UpstreamFailed` for too many."""
        if link in self._known:
            return
        if len(self._known) >= MOST_PAGES:
            raise UpstreamFailed(Fault("website.too_many", most=MOST_PAGES))
        self._known.add(link)
        self.waiting.append(link)


def start_of(address: str) -> str:
    """The address, resolved; `InvalidInput` where it is no website's, or too long."""
    try:
        start = resolved(address.strip())
        parts = urlsplit(start)
        is_website = parts.scheme in ("http", "https") and parts.hostname and not parts.username
    except ValueError:
        is_website = False
    if not is_website:
        raise InvalidInput(Fault("website.address", address=address[:200]), field="address")
    if len(start.encode("utf-8", "replace")) > LONGEST_START:
        raise InvalidInput(Fault("website.long_address", most=LONGEST_START), field="address")
    return start


def _name_of(address: str, *, is_page: bool) -> str:
    """The path of a page in the folder of its website; one that ends in a slash is its folder's index."""
    parts = urlsplit(address)
    path = unquote(parts.path).strip("/")
    if is_page and PurePosixPath(path).suffix.lower() not in (".html", ".htm", ".xhtml"):
        path = f"{path}/index.html" if path and parts.path.endswith("/") else f"{path or 'index'}.html"
    return f"{parts.hostname}/{path}"


def _archive_of(address: str) -> str:
    """The address of the ZIP that is read for an address, empty where its pages are read."""
    if found := _GITHUB.fullmatch(address):
        ref = found["ref"] or "HEAD"
        return f"https://codeload.github.com/{found['owner']}/{found['name']}/zip/{ref}"
    return address if urlsplit(address).path.lower().endswith(".zip") else ""


def _home_of(address: str) -> str:
    """The folder for the files of a ZIP, which is named like its address."""
    if found := _GITHUB.fullmatch(address):
        ref = f"@{found['ref']}" if found["ref"] else ""
        return f"github.com/{found['owner']}/{found['name']}{ref}/"
    parts = urlsplit(address)
    return f"{parts.hostname}{unquote(parts.path)[: -len('.zip')]}/"
