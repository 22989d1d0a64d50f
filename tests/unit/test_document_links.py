"""No link of a page is dead, no line is wide, and all pages together are short."""

from __future__ import annotations

import re
from unicodedata import east_asian_width
from urllib.parse import unquote, urlsplit

import pytest
from markdown_pages import PAGES, ROOT, anchors, inline

WIDE = {
    "docs/measured.md", "docs/runs/README.md", "docs/evaluation.md", "docs/bench.md",
    "intent/weights/MODEL_CARD.md", "knowledge/vectors/encoder/MODEL_CARD.md",
}  # fmt: skip
"""Pages with tables that are written from records, or come from another tool."""
IN_THE_TREE = re.compile(
    r"(?:vta|intent|knowledge|concept_graph|prompts|services|lab|benchmarks|tests|deploy|docs)/[\w./-]*\w"
)
MOST_BYTES = 218_000


def links(page: str) -> list[str]:
    found = [str(token.attrs.get("href", token.attrs.get("src", ""))) for token in inline(page)]
    return [unquote(link) for link in found if link]


def fault(page: str, link: str) -> str | None:
    """What is wrong with a link."""
    parts = urlsplit(link)
    if parts.scheme:
        is_sane = parts.scheme in ("http", "https") and re.fullmatch(
            r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc
        )
        return None if is_sane else "no address of the web"
    target = (ROOT / page).parent / parts.path if parts.path else ROOT / page
    if not target.is_file() or not target.resolve().is_relative_to(ROOT.resolve()):
        return "no such file"
    if not parts.fragment or parts.fragment in anchors(str(target.resolve().relative_to(ROOT))):
        return None
    return "no such heading"


@pytest.mark.parametrize("page", PAGES)
def test_no_link_is_dead(page):
    assert {link: fault(page, link) for link in links(page) if fault(page, link)} == {}


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("docs/operations.md#limits", None), ("docs/operations.md#no-limits", "no such heading"),
        ("docs/none.md", "no such file"), ("docs", "no such file"), ("#no-heading", "no such heading"),
        ("../elsewhere.md", "no such file"), ("https://example.org/a", None),
        ("https://", "no address of the web"),
        ("http:/one.example", "no address of the web"), ("htps://one.example", "no address of the web"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_link_is_found(link, told):
    assert fault("README.md", link) == told


@pytest.mark.parametrize("folder", ["docs", "docs/adr", "docs/zh"])
def test_every_page_is_on_a_front_page(folder):
    """So that it is in the menu of the site."""
    front = "docs/zh/index.md" if folder == "docs/zh" else "docs/index.md"
    linked = {((ROOT / front).parent / link.partition("#")[0]).resolve() for link in links(front)}
    pages = {path.resolve() for path in (ROOT / folder).glob("*.md") if path.name != "index.md"}
    assert pages - linked == set()


def test_the_pages_have_links():
    """So that the first test looks at something."""
    assert sum(len(links(page)) for page in PAGES) > 400


@pytest.mark.parametrize(
    "page", sorted({*PAGES} - {"docs/runs/README.md"})
)  # that names the commands of old records
def test_files_and_folders_between_backticks_exist(page):
    named = [token.content for token in inline(page) if token.type == "code_inline"]
    assert [each for each in named if IN_THE_TREE.fullmatch(each) and not (ROOT / each).exists()] == []


def columns(line: str) -> int:
    """The width of a line on a screen of letters of one width, where a Chinese sign takes two."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line)


@pytest.mark.parametrize("page", sorted(set(PAGES) - WIDE))
def test_no_line_is_wider_than_130_columns(page):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if columns(line) > 130] == []


def test_the_pages_stay_short():
    """Without the figures, which are written from records."""
    pages = [ROOT / page for page in PAGES if page.startswith("docs/") and "/runs/" not in page]
    assert sum(page.stat().st_size for page in pages if page.name != "measured.md") < MOST_BYTES
