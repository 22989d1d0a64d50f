"""Which pages of a website are fetched, and by which names they are known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest
from site_server import page, run_site

from knowledge.search.http_client import HttpClient
from services.materials import website
from services.materials.website import Website, WebsiteReader
from services.reading.links import MOST_LINKS, links_of, resolved
from services.reading.pool import ReaderPool
from services.reading.reader_process import ReadingBounds
from services.store.process_locks import ProcessFolders
from vta.errors import InvalidInput, LimitExceeded, UpstreamFailed
from vta.types.courses import CourseId

KINDS = {".html", ".htm", ".pdf", ".md"}
LARGEST = 600_000
"""Bytes of a page."""
Fetch = Callable[..., Awaitable[Website]]


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    with closing(ReaderPool()) as opened:
        yield opened


@pytest.fixture
def fetch(pool: ReaderPool, tmp_path: Path) -> Fetch:
    """Fetches a website by its address; by two readers, of whom one may name private addresses."""

    def is_wanted(path: str) -> bool:
        return PurePosixPath(path).suffix.lower() in KINDS

    def reader(private: bool) -> WebsiteReader:
        client = HttpClient(private_addresses=private, timeout_s=2.0, largest_reply=LARGEST)
        folders = ProcessFolders(tmp_path)
        return WebsiteReader(client, archives=client, wanted=is_wanted, reading=pool, folders=folders)

    readers = {private: reader(private) for private in (True, False)}

    async def fetched(address: str, *, private: bool = True, course: str = "ds") -> Website:
        async with readers[private].fetch(CourseId(course), address) as found:
            assert all(isinstance(each.file, Path) and each.file.is_file() for each in found.files)
            return found

    return fetched


async def test_links_are_followed_below_the_address_alone(fetch: Fetch) -> None:
    """Pages and files of known kinds, each once; dead links are no failure, others are."""
    links = ("two", "./two#part", "/course/files/notes.pdf", "sub/", "map.png", "gone.html", "broken.html",
             "/elsewhere/", "https://other.example/", "two?sort=up", "mailto:a@b.example", "secret/x.html",
             "long.pdf", "moved/")  # fmt: skip
    pages: dict[str, str | bytes | int] = {
        "/robots.txt": "User-agent: *\nDisallow: /course/secret/\n",
        "/course/": page("Start", "Welcome.", *links),
        "/course/two": page("Two", "Second.", "/course/"),
        "/course/sub/": page("Sub", "Below.", "three.htm", "../two"),
        "/course/sub/three.htm": page("Three", "Third."),
        "/course/files/notes.pdf": b"%PDF-1.7",
        "/course/secret/x.html": page("Secret", "No."),
        "/course/broken.html": 500,
        "/course/moved/": 301,
        "/course/long.pdf": b"x" * (LARGEST + 1),
        "/elsewhere/": page("Elsewhere", "No."),
    }
    with run_site(pages) as site:
        found = await fetch(f"{site.address}/course/#top")
        failed = {each.path.removeprefix(site.address) for each in found.failed}
    assert {each.name for each in found.files} == {
        f"127.0.0.1/course/{name}"
        for name in ("index.html", "two.html", "sub/index.html", "sub/three.htm", "files/notes.pdf")
    }
    assert failed == {"/course/broken.html", "/course/long.pdf", "/course/moved/"}
    assert len(site.asked) == len(set(site.asked))
    assert not {"/course/secret/x.html", "/elsewhere/", "/course/map.png"} & set(site.asked)


def zipped(**files: str) -> bytes:
    """A ZIP with a file of each name, in which "__" stands for a slash."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/") + ".md", text)
    return packed.getvalue()


async def test_a_zip_is_read_as_the_folder_that_a_repository_is(fetch: Fetch) -> None:
    """The folder that names its branch is no part of the names, so that they stay from version to version."""
    pages: dict[str, str | bytes | int] = {
        "/ann/notes-main.zip": zipped(notes_main__one="# One", notes_main__week__two="# Two"),
        "/ann/loose.zip": zipped(one="# One", week__two="# Two"),
        "/ann/none.zip": b"no ZIP",
        "/ann/large.zip": b"x" * (LARGEST + 1),
        "/ann/moved.zip": 302,
    }
    with run_site(pages) as site:
        for name in ("notes-main", "loose"):
            found = await fetch(f"{site.address}/ann/{name}.zip")
            assert found.folder == f"127.0.0.1/ann/{name}/"
            names = {each.name.removeprefix(found.folder) for each in found.files}
            assert names == {"one.md", "week/two.md"}
        for name, reason in (
            ("none", "not a zip"),
            ("large", "more than 100 MB"),
            ("moved", "redirect: 302"),
        ):
            with pytest.raises(InvalidInput, match=reason):
                await fetch(f"{site.address}/ann/{name}.zip")
        with pytest.raises(InvalidInput, match="private_address"):
            await fetch(f"{site.address}/ann/loose.zip", private=False)


@pytest.mark.parametrize(
    ("address", "archive", "home"),
    [
        ("github.com/a/b", "a/b/zip/HEAD", "a/b"),
        ("github.com/a/b.git", "a/b/zip/HEAD", "a/b"),
        ("www.github.com/a/b.c/", "a/b.c/zip/HEAD", "a/b.c"),
        ("github.com/a/b/tree/x/y", "a/b/zip/x/y", "a/b@x/y"),
        ("github.com/a/b/archive/refs/heads/main.zip", "a/b/zip/main", "a/b@main"),
        ("github.com/a/b/archive/v1.2.zip", "a/b/zip/v1.2", "a/b@v1.2"),
    ],
)
def test_a_repository_of_github_is_its_zip(address: str, archive: str, home: str) -> None:
    assert website._archive_of(f"https://{address}") == f"https://codeload.github.com/{archive}"
    assert website._home_of(f"https://{address}") == f"github.com/{home}/"


@pytest.mark.parametrize("address", ["github.com/a", "github.com/a/b/issues", "github.com.example/a/b"])
def test_other_addresses_are_websites(address: str) -> None:
    assert website._archive_of(f"https://{address}") == ""


async def test_a_single_page_of_a_folder_is_read_with_its_neighbours(fetch: Fetch) -> None:
    pages: dict[str, str | bytes | int] = {
        "/notes/one.html": page("One", "First.", "two.html", "../up.html"),
        "/notes/two.html": page("Two", "Second."),
        "/up.html": page("Up", "No."),
    }
    with run_site(pages) as site:
        found = await fetch(f"{site.address}/notes/one.html")
    assert [each.name for each in found.files] == ["127.0.0.1/notes/one.html", "127.0.0.1/notes/two.html"]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "notes",
        "ftp://a.example/",
        "file:///etc/passwd",
        "https://",
        "https://me:pw@a.example/",
        "http://[",
        "http://[::1",
        "http://a.example:99999999/",
    ],
)
async def test_what_is_no_website_is_refused(address: str, fetch: Fetch) -> None:
    with pytest.raises(InvalidInput) as refused:
        await fetch(address)
    assert refused.value.field == "address"


async def test_private_addresses_are_for_who_may_name_them(fetch: Fetch) -> None:
    with run_site({"/": page("In here", "Private.")}) as site:
        with pytest.raises(InvalidInput, match="private_address"):
            await fetch(f"{site.address}/", private=False)
        assert site.asked == []


async def test_a_website_that_cannot_be_read_says_why(fetch: Fetch) -> None:
    with run_site({"/": 503}) as site, pytest.raises(InvalidInput, match="status: 503"):
        await fetch(f"{site.address}/")


async def test_a_website_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, fetch: Fetch) -> None:
    """Nothing of it is taken; a part of it can be named."""
    monkeypatch.setattr(website, "MOST_PAGES", 20)
    pages: dict[str, str | bytes | int] = {
        f"/{n}.html": page(str(n), "More.", f"{n + 1}.html", f"{n + 2}.html") for n in range(40)
    }
    with run_site(pages) as site, pytest.raises(UpstreamFailed, match="more than 20 pages"):
        await fetch(f"{site.address}/0.html")


async def test_a_slow_website_is_given_up(monkeypatch: pytest.MonkeyPatch, fetch: Fetch) -> None:
    monkeypatch.setattr(website, "LONGEST_S", 0.2)
    pages: dict[str, str | bytes | int] = {
        f"/{n}.html": page(str(n), "More.", f"{n + 1}.html") for n in range(2_000)
    }
    monkeypatch.setattr(website, "MOST_PAGES", 10_000)
    with run_site(pages) as site, pytest.raises(InvalidInput, match="was not read within"):
        await fetch(f"{site.address}/0.html")


def test_links_are_whole_and_each_once() -> None:
    """One that is no address is left out, as is what leads above, however it is spelt."""
    html = b"""<a href=" b.html#x">b</a><a href="b.html">b</a><a>c</a><a href="?q=1">d</a>
        <A HREF=../x/e/>e</A>        <a href="http://[bad">f</a><a href="//[::1">g</a><a href="http://a.example:99999999/x/">h</a>
        <a href="/x/../up">i</a><a href="https://a.example/x/%2e%2E/up">j</a><a href="/x/..%2fup">k</a>
        <a href="/x/..%5cup">l</a><a href="/x/%2E./%2e%2e/x/m/.">m</a><a href="HTTPS://A.example/x/%E6%A0%88">n</a>
        <a href="https://a.example.net/x/">o</a><a href="https://me@a.example/x/">p</a>"""
    found, is_all = links_of(html, "https://a.example/x/y.html", below="https://a.example/x/", robots="")
    assert is_all
    assert [each.removeprefix("https://a.example/x/") for each in found] == [
        "b.html",
        "e/",
        "m/",
        "%E6%A0%88",
    ]


def test_an_address_leads_nowhere_else_when_it_is_decoded_in_parts() -> None:
    assert resolved("https://a.example/up/a%2fb/../../x") == "https://a.example/up/x"
    assert resolved("https://a.example/%252e%252e/?q=1#top") == "https://a.example/%252e%252e/?q=1"


def test_of_a_page_of_very_many_links_the_first_are_followed() -> None:
    html = b"".join(b"<a href=%d.html>x</a>" % n for n in range(MOST_LINKS + 1))
    found, is_all = links_of(html, "https://a.example/", below="https://a.example/", robots="")
    assert (len(found), is_all) == (MOST_LINKS, False)


@pytest.mark.fault(case="T149")
@pytest.mark.parametrize(
    ("robots", "reason"),
    [
        (503, "status: 503"),
        ("# long\n" * 80_000, "more than 500000 bytes"),
        ("Disallow: /a/\n" * 1_001, "more than 1000 rules"),
    ],
)
async def test_what_robots_are_told_must_be_usable(robots: str | int, reason: str, fetch: Fetch) -> None:
    """A server's fault forbids all (RFC 9309); nothing is read by halves of the rules."""
    pages = {"/": page("A", "B."), "/robots.txt": robots}
    with run_site(pages) as site, pytest.raises(InvalidInput, match=reason):
        await fetch(f"{site.address}/")


async def test_a_page_whose_links_cannot_be_read_is_told(
    fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def past_time(self: ReaderPool, *args: object, path: str, **more: object) -> bytes:
        raise ReadingBounds().past_memory(path)

    monkeypatch.setattr(ReaderPool, "run", past_time)
    with run_site({"/": page("A", "B.", "c.html")}) as site:
        found = await fetch(f"{site.address}/")
        assert [each.path for each in found.failed] == [f"{site.address}/"]


def folders_in(uploads: Path) -> list[Path]:
    return list(uploads.glob("*/*"))


@pytest.mark.fault(case="T149")
async def test_pages_that_are_too_much_together_are_refused(
    fetch: Fetch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing of them stays on the disk."""
    monkeypatch.setattr(website, "LARGEST_SITE", 1_000_000)
    pages: dict[str, str | bytes | int] = {f"/{n}.pdf": b"x" * 400_000 for n in range(5)}
    pages["/"] = page("A", "B.", *pages)
    with run_site(pages) as site, pytest.raises(InvalidInput, match="more than 1 MB"):
        await fetch(f"{site.address}/")
    assert folders_in(tmp_path) == []


@pytest.mark.fault(case="T149")
async def test_a_course_reads_one_website_at_a_time_and_a_process_two(fetch: Fetch) -> None:
    with run_site({"/": page("A", "B.")}) as site:
        names = ("a", "a", "b", "c")
        found = await asyncio.gather(
            *(fetch(f"{site.address}/", course=name) for name in names), return_exceptions=True
        )
        assert [isinstance(each, LimitExceeded) for each in found] == [False, True, False, True]
        assert len((await fetch(f"{site.address}/", course="c")).files) == 1
