"""One real Chromium for all tests of a process; each test has contexts of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Frame,
    FrameLocator,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

EXECUTABLE = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--no-first-run",
    # a frame of another site stays in its page's process: Playwright can miss its move to another one
    "--disable-site-isolation-trials",
)

expect.set_options(timeout=30_000)
"""A busy machine is slow; what never comes is told late, but only that."""


class Chromium:
    """Starts Chromium when it is first wanted, once for each set of arguments.

    The synchronous Playwright leaves its event loop marked as the running one, and then no other loop can run
    in this thread. Between two uses the mark is taken away, so that tests of other kinds go on as ever.
    """

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._browsers: dict[tuple[str, ...], Browser] = {}

    @contextmanager
    def use(self, *more: str) -> Iterator[Browser]:
        """The browser that was started with these arguments beside the usual ones; its contexts are closed
        afterwards. The test is skipped where there is no Chromium."""
        if not EXECUTABLE.exists():
            pytest.skip(f"browser not proven: {EXECUTABLE} is absent")
        asyncio._set_running_loop(self._loop)
        try:
            browser = self._start(more)
            yield browser
            for context in browser.contexts:
                context.close()
        finally:
            asyncio._set_running_loop(None)

    def persistent(self, profile: Path) -> BrowserContext:
        """A browser of its own over a profile's folder, for what only a profile says; inside `use`."""
        assert self._playwright is not None
        return self._playwright.chromium.launch_persistent_context(
            profile,
            executable_path=str(EXECUTABLE),
            args=ARGUMENTS,
            locale="en",
        )

    def stop(self) -> None:
        """End every browser that was started."""
        if self._playwright is None:
            return
        asyncio._set_running_loop(self._loop)
        try:
            for browser in self._browsers.values():
                browser.close()
            self._playwright.stop()
        finally:
            asyncio._set_running_loop(None)

    def _start(self, more: tuple[str, ...]) -> Browser:
        if self._playwright is None:
            self._playwright = sync_playwright().start()
            self._loop = asyncio._get_running_loop()
        if more not in self._browsers:
            self._browsers[more] = self._playwright.chromium.launch(
                executable_path=str(EXECUTABLE), args=[*ARGUMENTS, *more]
            )
        return self._browsers[more]


@contextmanager
def watched(context: BrowserContext, *origins: str) -> Iterator[BrowserContext]:
    """A context that fails the test when a script of its pages fails or they ask another origin.

    Origins are beginnings of addresses; without any, every one on this machine is allowed.
    """
    allowed = (*(origins or ("http://127.0.0.1",)), "data:")
    faults: list[str] = []
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on(
        "request",
        lambda request: None if request.url.startswith(allowed) else faults.append(request.url),
    )
    yield context
    assert faults == []


def ask(page: Page | Frame | FrameLocator, question: str) -> None:
    """Ask in the sidebar, and wait for the finished answer."""
    answers = page.get_by_test_id("answer-html")
    before = answers.count()
    page.get_by_test_id("question-input").fill(question)
    page.get_by_test_id("question-input").press("Enter")
    expect(answers).to_have_count(before + 1, timeout=60_000)
    expect(answers.nth(before)).to_be_visible()


def unfold(page: Page, *test_ids: str) -> None:
    """Open what lies folded under the last answer that has it: its `citations`, its `concepts`."""
    for test_id in test_ids:
        page.get_by_test_id(test_id).last.get_by_test_id("fold").click()
