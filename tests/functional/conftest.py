"""A real server over a real data folder, command lines in this process, and a real browser."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, closing
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from chromium import Chromium, watched
from command_lines import CommandLine, Vta
from console_client import logged_in
from console_people import Browser
from console_tour import prepare
from index_names import new_alias
from playwright.sync_api import Page
from served_platform import (
    ENGLISH,
    Build,
    Serve,
    Served,
    TemplateHomes,
    bearer,
    client_of,
    new_platform,
    served,
)
from smtp_server import SmtpServer

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types.courses import CourseId, Role


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> TemplateHomes:
    """Data folders to copy, each made when it is first wanted."""
    return TemplateHomes(tmp_path_factory.mktemp("templates"))


@pytest.fixture
def new_home(tmp_path: Path, templates: TemplateHomes) -> Build:
    """Makes platforms that somebody else closes."""
    homes = (tmp_path / f"home-{number}" for number in count())
    return lambda courses=None, intents=None, **settings: new_platform(
        templates, next(homes), courses=courses, intents=intents, **settings
    )


@pytest.fixture
def serve(new_home: Build) -> Iterator[Serve]:
    """Serves new data folders."""
    with ExitStack() as stack:
        yield lambda *given, **settings: stack.enter_context(served(new_home(*given, **settings)))


@pytest.fixture
def build(new_home: Build) -> Iterator[Build]:
    """Makes platforms that nobody serves."""
    with ExitStack() as stack:
        yield lambda *given, **settings: stack.enter_context(closing(new_home(*given, **settings)))


@pytest.fixture
def api(request: pytest.FixtureRequest, serve: Serve) -> Served:
    """The two small courses, without a language model, with the settings of the mark `settings`."""
    mark = request.node.get_closest_marker("settings")
    return serve(**(mark.kwargs if mark else {}))


@pytest.fixture
def ann(api: Served) -> Iterator[httpx.Client]:
    """An instructor of the English course who is logged in to the console."""
    with logged_in(api) as client:
        yield client


@pytest.fixture
def mail() -> Iterator[SmtpServer]:
    """A mail server that keeps what it is sent."""
    with SmtpServer() as server:
        yield server


@pytest.fixture
def alias(elasticsearch_url: str) -> Iterator[str]:
    """A name for indexes on a real server."""
    with new_alias(elasticsearch_url) as (name, _):
        yield name


@pytest.fixture
def home(tmp_path: Path, templates: TemplateHomes) -> Path:
    """A data folder with the small courses, not indexed yet, and nobody serving it."""
    folder = tmp_path / "home"
    templates.copy_small(folder, index=False)
    return folder


@pytest.fixture
def key(home: Path) -> dict[str, str]:
    """The header of an instructor of the English course in that folder."""
    with closing(build_platform(Settings(home=home))) as platform:
        return bearer(platform.stores.keys.make(CourseId(ENGLISH), Role.INSTRUCTOR)[0])


@pytest.fixture(scope="module")
def sample_courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The sample courses after some questions of students (`console_tour`), one server for a module."""
    platform = build_platform(Settings(home=tmp_path_factory.mktemp("samples")))
    asyncio.run(prepare(platform))
    with served(platform) as started:
        yield started


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> CommandLine:
    """Runs command lines over one new data folder, in this process."""
    for name in [name for name in os.environ if name.startswith("VTA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VTA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capfd)


@pytest.fixture
def graph_command(command: Vta) -> Vta:
    """The same, with a course `ds`."""
    added = command("course", "add", "ds", "--name", "数据结构", "--domain", "计算机", "--language", "zh")
    assert added.code == 0
    return command


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """A real browser, started when it is first wanted."""
    browser = Chromium()
    yield browser
    browser.stop()


@pytest.fixture
def browser_page(chromium: Chromium) -> Iterator[Page]:
    """A page in Chromium that fails the test when a script fails or the page asks another origin."""
    with chromium.use() as browser:
        context = browser.new_context(viewport={"width": 1360, "height": 900}, locale="en")
        with watched(context):
            yield context.new_page()


@pytest.fixture
async def browser(platform: Platform) -> AsyncIterator[Any]:
    """Opens browsers without cookies of one application."""
    async with AsyncExitStack() as stack:

        async def new() -> Browser:
            return Browser(await stack.enter_async_context(client_of(platform)))

        yield new
