"""A platform over a folder of a test's own, served by a real server in a thread of the tests.

A data folder is not made from nothing each time: `TemplateHomes` migrates the database, reads the small
courses and builds their index once, and copies the folder for every test that wants one.
"""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import httpx
import uvicorn
from small_platform import COURSES, KeywordIntents, write_files

import services.app
from services.app import create_app
from services.cli.serving import listen
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.ports import IntentClassifier
from vta.types.courses import Course, CourseId, Role

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

STARTUP_S = 60.0
services.app.TESTS_EVERY_S = 2.0  # else each run of test questions is waited for up to 15 s
ENGLISH = "stacks-en"
Courses = Mapping[str, tuple[Course, Mapping[str, str]]]
"""Courses with the texts of their files."""


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

    def key(self, role: Role = Role.INSTRUCTOR, course: str = ENGLISH) -> str:
        """The text of a new key."""
        return self.platform.stores.keys.make(CourseId(course), role)[0]

    def bearer(self, role: Role = Role.INSTRUCTOR, course: str = ENGLISH) -> dict[str, str]:
        """The header of a new key."""
        return bearer(self.key(role, course))

    def learner(self, name: str | None = None, course: str = ENGLISH) -> dict[str, str]:
        """The header of a learner's browser, with a token that the course's platform asked for."""
        reply = self.client.post(
            f"/v1/courses/{course}/visitors",
            json={"learner_id": name} if name else {},
            headers=self.bearer(Role.PLATFORM, course),
        )
        assert reply.status_code == 201, reply.text
        return bearer(reply.json()["token"])

    def ask(
        self, question: str, course: str = ENGLISH, headers: dict[str, str] | None = None, **more: Any
    ) -> dict[str, Any]:
        """The answer to a question; `more` are fields of its body."""
        body = {"question": question, **more}
        reply = self.client.post(f"/v1/courses/{course}/dialogue", json=body, headers=headers)
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    def ask_ta(
        self, question: str, course: str = ENGLISH, headers: dict[str, str] | None = None, **more: Any
    ) -> tuple[str, dict[str, Any]]:
        """The id under which a question waits for a TA, and the answer that it had before."""
        turn = self.ask(question, course, headers, **more)
        address = f"/v1/courses/{course}/turns/{turn['turn_id']}/ask-ta"
        return str(self.client.post(address, headers=headers).json()["question_id"]), turn

    def ta_answers(self, turn: dict[str, Any]) -> list[dict[str, Any]]:
        """What TAs said in the session of a turn."""
        address = f"/v1/courses/{turn['course_id']}/sessions/{turn['session_id']}/ta-answers"
        return list(self.client.get(address).json()["answers"])


def bearer(text: str) -> dict[str, str]:
    """The header of a key or token."""
    return {"Authorization": f"Bearer {text}"}


@contextmanager
def served(platform: Platform, spans: TracerProvider | None = None) -> Iterator[Served]:
    """Serve a platform on a free port until the end; the server closes it."""
    listener = listen("127.0.0.1", 0)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        create_app(platform, spans), log_level="warning", proxy_headers=False, timeout_graceful_shutdown=5
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="served", daemon=True)
    thread.start()
    try:
        assert server.up.wait(STARTUP_S)
        assert server.started
        # verify=False: nothing is encrypted here, and to read the certificates takes longer than a request
        with httpx.Client(base_url=address, timeout=30.0, trust_env=False, verify=False) as client:
            yield Served(platform, address, client)
    finally:
        server.should_exit = True
        thread.join(30.0)
        listener.close()
    assert not thread.is_alive()


@asynccontextmanager
async def client_of(platform: Platform, address: str = "127.0.0.1") -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application itself, without a socket, that asks from an address."""
    transport = httpx.ASGITransport(app=create_app(platform), client=(address, 1), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


class Build(Protocol):
    """Makes a platform over a new data folder; arguments are those of `Serve`."""

    def __call__(
        self, courses: Courses | None = None, intents: IntentClassifier | None = None, **settings: Any
    ) -> Platform: ...


class Serve(Protocol):
    """Serves a new data folder until the end of the test; named arguments are settings.

    `courses` are those of `small_platform.COURSES` unless others are given, and `intents` are
    `KeywordIntents`.
    """

    def __call__(
        self, courses: Courses | None = None, intents: IntentClassifier | None = None, **settings: Any
    ) -> Served: ...


class TemplateHomes:
    """Data folders to copy: one without courses, one with the small courses and their index."""

    def __init__(self, folder: Path) -> None:
        self._empty = folder / "empty"
        self._small = folder / "small"

    def copy_empty(self, home: Path) -> None:
        """Make a data folder whose database has its tables and no rows."""
        if not self._empty.exists():
            build_platform(Settings(home=self._empty), intents=KeywordIntents()).close()
        shutil.copytree(self._empty, home)

    def copy_small(self, home: Path, *, index: bool = True) -> None:
        """Make a data folder with the small courses, their files in `given`, and their index if wanted."""
        if not self._small.exists():
            self.copy_empty(self._small)
            platform = build_platform(Settings(home=self._small), intents=KeywordIntents())
            add_courses(platform, COURSES)
            platform.knowledge.current()
            platform.close()
        shutil.copytree(self._small, home, ignore=None if index else shutil.ignore_patterns("index"))


def add_courses(platform: Platform, courses: Courses) -> None:
    """Add courses and ingest their files, which are written into `given` in the data folder."""
    for course, files in courses.values():
        platform.stores.courses.add(course)
        folder = write_files(platform.settings.home / "given" / course.id, files)
        report = ingest(
            [folder], course=course, readers=platform.readers, documents=platform.stores.documents
        )
        assert all(each.fault.code == "file.same" for each in report.rejected), report.rejected


def new_platform(
    templates: TemplateHomes,
    home: Path,
    *,
    courses: Courses | None = None,
    intents: IntentClassifier | None = None,
    **settings: Any,
) -> Platform:
    """A platform over a new data folder, with the small courses unless others are given."""
    read = Settings(home=home, **settings)
    copied = read.database_url is None
    if copied and courses is None:
        templates.copy_small(home)
    elif copied:
        templates.copy_empty(home)
    platform = build_platform(read, intents=intents or KeywordIntents())
    if not (copied and courses is None):
        add_courses(platform, COURSES if courses is None else courses)
    return platform
