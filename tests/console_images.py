"""Takes the pictures of the console in docs/images.

.venv/bin/python tests/console_images.py docs/images

Both sample courses are made anew, students ask, and an instructor opens every page (`console_tour`). `--all`
takes every state as well, and `--width` another width, for whoever wants to look at them.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from console_tour import Tour, prepare
from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

from services.app import create_app
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types import Language

TALLEST = 950
COLOURS = 96
SHOWN = (
    "log-in", "inbox", "answer", "faq", "replay", "conflict", "entry", "import", "materials", "ingest",
    "graph", "concept", "graph-edits", "prerequisites", "units", "seeds", "settings", "preview",
    "analytics", "review", "conversations", "conversation", "courses", "people", "not-found",
)  # fmt: skip
"""The states in the documents."""


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--scheme", default="light", choices=("light", "dark"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home)) as (platform, address),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"])
        for language in Language:
            viewport = ViewportSize(width=given.width, height=700)
            page = browser.new_page(viewport=viewport, locale=language.value, color_scheme=given.scheme)
            tour = Tour(platform=platform, page=page, address=address, language=language)
            for name in tour.stops():
                if given.all or name in SHOWN:
                    take(page, given.out / f"console-{name}-{language}.png")
            page.close()
        browser.close()


def take(page: Page, file: Path) -> None:
    """A picture of the page from its top, in few colours."""
    page.mouse.move(0, 0)
    size = page.viewport_size
    assert size is not None
    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    taken = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": size["width"], "height": height})
    image = Image.open(io.BytesIO(taken)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


@contextmanager
def served(home: Path) -> Iterator[tuple[Platform, str]]:
    """The sample courses with some questions, on a free port."""
    platform = build_platform(Settings(home=home))
    asyncio.run(prepare(platform))
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(platform), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield platform, f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


if __name__ == "__main__":
    main()
