"""The documentation as a site: no warning, nothing missing, no other hosts, and a search."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from markdown_pages import ROOT

from vta import __version__
from vta.patterns import read_table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make docs` writes; a warning, as of a link that leads nowhere, fails it."""
    for needed in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(
            needed, reason="the documentation as a site is not proven: the extra docs is absent"
        )
    folder = tmp_path_factory.mktemp("site")
    installed = ["-o", f"{sys.prefix}/.installed-for-docs", f"VENV={sys.prefix}"]
    built = subprocess.run(
        ["make", *installed, "docs", f"SITE={folder}"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder / __version__


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def words_of(page: Path) -> str:
    return unescape(re.sub(r"<[^>]*>", "", text_of(page)))


def test_every_command_and_every_route_is_documented(site, api):
    """On pages that are written from the program."""
    commands = words_of(site / "docs" / "cli.html")
    for group, rows in read_table("services.cli", "commands.toml").items():
        for name in rows:
            assert f"\n{name if group == 'vta' else f'{group} {name}'}" in commands.replace("\nvta ", "\n")
    routes = words_of(site / "docs" / "api.html")
    for path, operations in api.client.get("/openapi.json").json()["paths"].items():
        assert all(f"{method.upper()} {path}" in routes for method in operations)
    assert '"question": "什么是栈？"' in routes


def test_the_site_loads_nothing_from_other_hosts(site):
    """Scripts, styles, pictures and fonts are its own."""
    pages = [page for page in site.rglob("*.html") if "_static" not in page.parts]
    assert len(pages) > 40
    for page in pages:
        loaded = re.findall(r"<(?:script|img|link)\b[^>]*?\b(?:src|href)=\"([^\"]*)\"", text_of(page))
        assert [each for each in loaded if re.match(r"(?:https?:)?//", each)] == []


@pytest.mark.parametrize(
    ("place", "query", "page"),
    [
        ("search.html", "restore a backup", "docs/operations.html"),
        ("search.html", "idempotent retries", "docs/api.html"),
        ("zh/search.html", "请真人助教回答", "zh/student.html"),
        ("zh/search.html", "踩", "zh/student.html"),
        ("zh/search.html", "量子力学", None),
        ("zh/search.html", "重新打开", "zh/ta.html"),
        ("zh/search.html", "Excel", "zh/instructors.html"),
    ],
)
def test_search_finds(site, chromium, place, query, page):
    """English by stems, Chinese by any part of a sentence."""
    with chromium.use() as browser:
        tab = browser.new_page()
        tab.goto(f"{(site / place).as_uri()}?q={query}")
        tab.wait_for_selector("#search-results p.search-summary:not(:empty)")
        tab.wait_for_function("!document.querySelector('#search-progress .dots')")
        found = tab.eval_on_selector_all("#search-results li a", "links => links.map(link => link.href)")
        assert (page is None) == (found == [])
        assert page is None or any(link.split("?")[0].split("#")[0].endswith(page) for link in found)
