"""`vta serve`, `vta demo`: the web server, in this process or in several on one port."""

from __future__ import annotations

import ctypes
import gc
import logging
import math
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.server import HANDLED_SIGNALS
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from services.app import create_app
from services.cli.dialogue import show_answer
from services.cli.output import Home, platform, run, show
from services.cli.people import password_address
from services.demo.sample_courses import DEMO_COURSES, DEMO_QUESTION, create_demo_courses
from services.people.store import PlatformRole
from services.settings import Settings, make_home, read_settings
from services.store.process_locks import ProcessFolders
from services.web.request_log import start_log
from services.web.worker_metrics import counting_together, forget_worker
from services.wiring import Platform, build_platform
from vta.errors import InvalidInput, VtaError
from vta.faults import Fault
from vta.types.courses import Role

DEMO_ADMIN = "admin@demo.example"
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 picks a free one.")]
Workers = Annotated[
    int, typer.Option(min=1, max=256, help="Processes that serve together; one for each processor core.")
]

_M_ARENA_MAX = -8
"""The parameter's number in glibc's malloc.h."""
_ARENAS = 2
"""With glibc's eight a core, 290 MB that were freed lay in arenas of idle threads after a minute of 16
clients on two cores; with two, 43 MB after three, at about the same rate (`benchmarks/memory.py`)."""
SILENT_S = 60.0
"""Seconds without a sign of life after which a worker is killed; on a busy machine one starts for long."""

_log = logging.getLogger(__name__)


def demo(
    port: Port = 8000,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    home: Home = None,
) -> None:
    """Create the two sample courses, answer one question, and serve the sidebar.

    Example: vta demo --port 8000
    """
    share_arenas()
    with listen("127.0.0.1", port) as listener:
        with platform(home) as vta:
            for report in create_demo_courses(vta):
                show(report)
            show(f"\n? {DEMO_QUESTION.text}\n")
            show_answer(run(vta.assistant.answer(DEMO_QUESTION), vta.model))
            courses = vta.stores.courses.courses()
            keys = {c.id: vta.stores.keys.make(c.id, Role.INSTRUCTOR)[0] for c in courses}
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            admins_link = _admins_link(vta, address)
        show("")
        for course in courses:
            show(f"{course.name}: {address}/courses/{course.id}")
            show(f"  instructors: {address}/console/log-in with the key {keys[course.id]}")
        show(f"All courses in one log-in: {admins_link} sets the password of {DEMO_ADMIN}")
        vta = build_platform(read_settings(home))
        show(f"API: {address}/docs\n\nServing at {address}; stop with Ctrl-C.")
        if not no_open:
            _open_browser(f"{address}/courses/{DEMO_COURSES[0]}")
        serve_here(create_app(vta), vta.settings, listener)


def _admins_link(vta: Platform, address: str) -> str:
    """A link to set the password of the demo's admin, who is made where missing."""
    found = vta.stores.people.find(DEMO_ADMIN)
    admin = found or vta.stores.people.add(name="Admin", email=DEMO_ADMIN, role=PlatformRole.ADMIN)
    return password_address(vta.stores, admin, address)


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 1, home: Home = None) -> None:
    """Serve the dialogue API, the sidebar and the console. Example: `vta serve --port 8000 --workers 2`."""
    share_arenas()
    with listen(host, port, workers=workers) as listener:
        settings = read_settings(home)
        start_log(settings)
        address = f"http://{host}:{listener.getsockname()[1]}"
        console = f"instructors log in at {address}/console"
        if workers > 1:
            show(f"Serving at {address} with {workers} workers; {console}; stop with Ctrl-C.")
            serve_with_workers(settings, listener, workers=workers, home=home)
            return
        vta = build_platform(settings)
        show(f"Serving at {address}; {console}; stop with Ctrl-C.")
        serve_here(create_app(vta), settings, listener)


def _open_browser(address: str) -> None:
    """Open the address where there is a graphical browser; one in the terminal would take it over."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:
        browser.open(address)


class _SharedPort(socket.socket):
    """A port on which each worker listens by itself, so that the kernel spreads connections over them.

    From one queue the first worker to wake takes all that wait. Only Linux spreads them (man 7 socket).
    """

    def __reduce__(self) -> tuple[object, ...]:
        return _bind_beside, (self.family, self.getsockname())


def _bind_beside(family: int, address: tuple[object, ...]) -> socket.socket:
    """The port for a worker, which listens once it can answer."""
    own = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.bind(address)
    return own


def listen(host: str, port: int, *, workers: int = 1) -> socket.socket:
    """A listening socket, or the port that several workers share.

    The protocol is named so that asyncio sets TCP_NODELAY; without it, replies on a kept-alive connection
    wait some 40 ms for the delayed ACK of the client.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_shared = workers > 1 and sys.platform == "linux"
    kind = _SharedPort if is_shared else socket.socket
    listener = kind(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        if is_shared:  # after `bind`, so that no other server gets the port, not even before a worker listens
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        else:
            listener.listen(128)
    except OSError as error:
        listener.close()
        raise InvalidInput(
            Fault("option.port", host=host, port=port, reason=error.strerror or ""), field="port"
        ) from error
    return listener


def share_arenas() -> None:
    """Let all threads take memory from the same few arenas, so that one uses what another has freed.

    To be called before there are threads; without glibc it does nothing.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def server_config(make: Callable[[], FastAPI], settings: Settings, *, workers: int = 1) -> uvicorn.Config:
    """The configuration of uvicorn; the application itself finds the client behind a proxy."""
    return uvicorn.Config(
        make,
        factory=True,
        workers=workers,
        log_config=None,
        log_level="warning",
        proxy_headers=False,
        timeout_graceful_shutdown=math.ceil(settings.grace_s),
    )


def serve_here(app: FastAPI, settings: Settings, listener: socket.socket) -> None:
    """Serve in this process until told to stop."""
    uvicorn.Server(server_config(partial(owns_process, app), settings)).run(sockets=[listener])


def owns_process(app: FastAPI) -> FastAPI:
    """The application, for which this process works: to be called in the server's factory.

    It learns of a signal to stop before the server acts on it, so that running answers end in words. What it
    is made of is not looked through for garbage any more: that held up every answer for a sixth of a second.
    Outside the main thread nobody hears signals, and the process is somebody else's.
    """
    if threading.current_thread() is not threading.main_thread():
        return app
    for number in HANDLED_SIGNALS:
        handler = signal.getsignal(number)

        def handle(sig: int, frame: FrameType | None, then: object = handler) -> None:
            app.state.parts.closing.begin()
            if callable(then):
                then(sig, frame)

        signal.signal(number, handle)
    gc.collect()
    gc.freeze()
    return app


def serve_with_workers(
    settings: Settings, listener: socket.socket, *, workers: int, home: Path | None
) -> None:
    """Serve with several processes until told to stop. Exits with 1 where none of them could start.

    A dead worker is replaced; its connections are lost, and the other workers take new ones.
    """
    make_home(settings)
    with ExitStack() as stack:
        folders = ProcessFolders(settings.home / "workers")
        folders.sweep()
        stack.callback(folders.close)
        metrics = folders.own() / "metrics"
        stack.enter_context(counting_together(metrics))
        config = server_config(partial(_worker, home, workers), settings, workers=workers)
        supervisor = _Supervisor(config, [listener], metrics=metrics)
        supervisor.run()
    if not supervisor.served:
        raise typer.Exit(1)


class _Supervisor(Multiprocess):
    """uvicorn's, which also waits for a slow worker and outlives one that cannot be restarted at once."""

    def __init__(self, config: Config, sockets: list[socket.socket], *, metrics: Path) -> None:
        """`metrics` is the folder where the workers count."""
        super().__init__(config, sockets)
        self._metrics = metrics
        self.served = False
        """True once any worker has served."""
        self._heard: dict[Process, float] = {}

    def keep_subprocess_alive(self) -> None:
        for place, process in enumerate(self.processes):
            if self._is_well(process):
                continue
            process.kill()
            process.join()
            del self._heard[process]
            forget_worker(self._metrics, process.pid or 0)
            if process.exitcode == STARTUP_FAILURE and not self.served:
                self.should_exit.set()  # it has said why
                return
            _log.warning("worker %s ended with %s; another is started", process.pid, process.exitcode)
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def _is_well(self, process: Process) -> bool:
        """True for a living worker with a recent answer to a ping; does not wait for one."""
        now = time.monotonic()
        if process not in self._heard:
            self._heard[process] = now
            process.parent_conn.send(b"ping")
        if not process.process.is_alive():
            return False
        try:
            if process.parent_conn.poll():
                self.served |= process.parent_conn.recv()
                self._heard[process] = now
                process.parent_conn.send(b"ping")
        except (OSError, EOFError):
            return False
        return now - self._heard[process] < SILENT_S


def _worker(home: Path | None, workers: int) -> FastAPI:
    """The application of one worker, in its process."""
    share_arenas()
    _end_with_supervisor()
    try:
        settings = read_settings(home)
        settings = settings.model_copy(update={"processes": settings.processes * workers})
        start_log(settings)
        app = create_app(build_platform(settings))
    except VtaError as failure:
        _log.error("a worker cannot start: %s", failure.message)
        sys.exit(STARTUP_FAILURE)
    return owns_process(app)


def _end_with_supervisor() -> None:
    """Stop as on SIGTERM when the supervisor is gone, however it ended."""
    supervisor = multiprocessing.parent_process()
    if supervisor is None:
        return

    def watch() -> None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor-watch", daemon=True).start()
