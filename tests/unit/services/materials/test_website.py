"""Which pages of a website are fetched, and by which names they are known."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from site_server import page, run_site

from knowledge.search.http_client import HttpClient
from services.materials import website
from services.materials.website import WebsiteReader, links_of
from vta.errors import InvalidInput, UpstreamFailed

KINDS = {".html", ".htm", ".pdf", ".md"}


def reader(*, private: bool = True) -> WebsiteReader:
    client = HttpClient(private_addresses=private, timeout_s=2.0, largest_reply=10_000)
    return WebsiteReader(client, wanted=lambda path: PurePosixPath(path).suffix.lower() in KINDS)


async def test_links_are_followed_below_the_address_alone() -> None:
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
        "/course/long.pdf": b"x" * 10_001,
        "/elsewhere/": page("Elsewhere", "No."),
    }
    with run_site(pages) as site:
        found = await reader().fetch(f"{site.address}/course/#top")
        failed = {each.path.removeprefix(site.address) for each in found.failed}
    assert {each.name for each in found.files} == {
        f"127.0.0.1/course/{name}"
        for name in ("index.html", "two.html", "sub/index.html", "sub/three.htm", "files/notes.pdf")
    }
    assert failed == {"/course/broken.html", "/course/long.pdf", "/course/moved/"}
    assert len(site.asked) == len(set(site.asked))
    assert not {"/course/secret/x.html", "/elsewhere/", "/course/map.png"} & set(site.asked)


async def test_a_single_page_of_a_folder_is_read_with_its_neighbours() -> None:
    pages: dict[str, str | bytes | int] = {
        "/notes/one.html": page("One", "First.", "two.html", "../up.html"),
        "/notes/two.html": page("Two", "Second."),
        "/up.html": page("Up", "No."),
    }
    with run_site(pages) as site:
        found = await reader().fetch(f"{site.address}/notes/one.html")
    assert [each.name for each in found.files] == ["127.0.0.1/notes/one.html", "127.0.0.1/notes/two.html"]


@pytest.mark.parametrize(
    "address", ["", "notes", "ftp://a.example/", "file:///etc/passwd", "https://", "https://me:pw@a.example/"]
)
async def test_what_is_no_website_is_refused(address: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await reader().fetch(address)
    assert refused.value.field == "address"


async def test_private_addresses_are_for_who_may_name_them() -> None:
    with run_site({"/": page("In here", "Private.")}) as site:
        with pytest.raises(InvalidInput, match="private_address"):
            await reader(private=False).fetch(f"{site.address}/")
        assert site.asked == []


async def test_a_website_that_cannot_be_read_says_why() -> None:
    with run_site({"/": 503}) as site, pytest.raises(InvalidInput, match="status: 503"):
        await reader().fetch(f"{site.address}/")


async def test_a_website_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is taken; a part of it can be named."""
    monkeypatch.setattr(website, "MOST_PAGES", 20)
    pages: dict[str, str | bytes | int] = {
        f"/{n}.html": page(str(n), "More.", f"{n + 1}.html", f"{n + 2}.html") for n in range(40)
    }
    with run_site(pages) as site, pytest.raises(UpstreamFailed, match="more than 20 pages"):
        await reader().fetch(f"{site.address}/0.html")


async def test_a_slow_website_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(website, "LONGEST_S", 0.2)
    pages: dict[str, str | bytes | int] = {
        f"/{n}.html": page(str(n), "More.", f"{n + 1}.html") for n in range(2_000)
    }
    monkeypatch.setattr(website, "MOST_PAGES", 10_000)
    with run_site(pages) as site, pytest.raises(InvalidInput, match="was not read within"):
        await reader().fetch(f"{site.address}/0.html")


def test_links_are_whole_and_each_once() -> None:
    html = b'<a href=" b.html#x">b</a><a href="b.html">b</a><a>c</a><a href="?q=1">d</a><A HREF=../e/>e</A>'
    assert links_of(html, "https://a.example/x/y.html") == [
        "https://a.example/x/b.html",
        "https://a.example/e/",
    ]
