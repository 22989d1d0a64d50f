"""A real server over a real data folder, in a thread of the tests."""

from __future__ import annotations

import asyncio
import io
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn
from console_tour import prepare
from playwright.sync_api import Page, Request, sync_playwright

from services.app import create_app
from services.cli.main import main
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.ports import IntentClassifier

STARTUP_S = 60.0
CHROMIUM = Path("/usr/bin/chromium")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class _Server(uvicorn.Server):
    """Says when it listens, or that it will not."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.up.set()


@dataclass(frozen=True)
class Served:
    """A platform and the address at which it is served."""

    platform: Platform
    address: str
    client: httpx.Client


@contextmanager
def served(platform: Platform) -> Iterator[Served]:
    """Serve a platform on a free port until the end; the server closes it."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        create_app(platform), log_level="warning", proxy_headers=False, timeout_graceful_shutdown=5
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="served", daemon=True)
    thread.start()
    try:
        assert server.up.wait(STARTUP_S)
        assert server.started
        with httpx.Client(base_url=address, timeout=30.0, trust_env=False) as client:
            yield Served(platform, address, client)
    finally:
        server.should_exit = True
        thread.join(30.0)
        listener.close()
    assert not thread.is_alive()


Serve = Callable[..., Served]


@pytest.fixture
def browser_page() -> Iterator[Page]:
    """A page in Chromium that fails the test when a script fails or the page asks another origin."""
    if not CHROMIUM.exists():
        pytest.skip(f"browser not proven: {CHROMIUM} is absent")
    faults: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1", "data:")):
            faults.append(request.url)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1360, "height": 900}, locale="en")
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", watch)
        yield page
        browser.close()
    assert faults == []


@pytest.fixture(scope="module")
def sample_courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The sample courses after some questions of students (`console_tour`), one server for a module."""
    platform = build_platform(Settings(home=tmp_path_factory.mktemp("samples")))
    asyncio.run(prepare(platform))
    with served(platform) as started:
        yield started


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object that stdout is."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON Lines that stdout is."""
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Runs command lines over one new data folder, in this process.

    Named arguments are settings: `command("ask", ..., beta="0.5")` has VTA_BETA=0.5, from then on.
    """
    for name in [name for name in os.environ if name.startswith("VTA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VTA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "", **settings: str) -> Ran:
        for name, value in settings.items():
            monkeypatch.setenv(f"VTA_{name.upper()}", value)
        monkeypatch.setattr(sys, "argv", ["vta", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capfd.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        read = capfd.readouterr()
        return Ran(int(str(code or 0)), read.out, read.err)

    return run


@pytest.fixture
def graph_command(command: Callable[..., Ran]) -> Callable[..., Ran]:
    """The same, with a course `ds`."""
    added = command("course", "add", "ds", "--name", "数据结构", "--domain", "计算机", "--language", "zh")
    assert added[0] == 0
    return command


@pytest.fixture
def small_courses(load_test_module: Any) -> Any:
    """The module tests/small_platform.py."""
    return load_test_module("small_platform")


@pytest.fixture
def serve(tmp_path: Path, small_courses: Any) -> Iterator[Serve]:
    """Serves a new data folder; `courses` are those of `small_platform.COURSES` unless others are given, and
    `intents` are `KeywordIntents`."""
    with ExitStack() as stack:

        def start(
            courses: dict[str, Any] | None = None, intents: IntentClassifier | None = None, **settings: Any
        ) -> Served:
            home = tmp_path / f"home-{len(list(tmp_path.iterdir()))}"
            classifier = intents or small_courses.KeywordIntents()
            platform = build_platform(Settings(home=home, **settings), intents=classifier)
            for course, files in (small_courses.COURSES if courses is None else courses).values():
                platform.stores.courses.add(course)
                folder = small_courses.write_files(home / "given" / course.id, files)
                report = ingest(
                    [folder], course=course, readers=platform.readers, documents=platform.stores.documents
                )
                assert not report.rejected
            return stack.enter_context(served(platform))

        yield start


@pytest.fixture
def home(tmp_path: Path, small_courses: Any) -> Path:
    """A data folder with the small courses, nobody serving it."""
    folder = tmp_path / "home"
    platform = build_platform(Settings(home=folder), intents=small_courses.KeywordIntents())
    for course, files in small_courses.COURSES.values():
        platform.stores.courses.add(course)
        given = small_courses.write_files(tmp_path / "given" / course.id, files)
        ingest([given], course=course, readers=platform.readers, documents=platform.stores.documents)
    platform.close()
    return folder
