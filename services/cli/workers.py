"""Several worker processes of one platform on one port, by uvicorn's supervisor."""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from threading import Thread

import typer
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from services.app import create_app
from services.cli.server import owns_process, server_config, share_arenas
from services.http.request_log import start_log
from services.http.worker_metrics import counting_together, forget_worker
from services.language_model.local_server import SharedModel
from services.settings import Settings, read_settings
from services.storage.process_locks import ProcessFolders
from services.wiring import build_local, build_platform, make_home
from vta.errors import VtaError

SILENT_S = 60.0
"""Seconds without a sign of life after which a worker is killed; on a busy machine one starts for long."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """What the workers of one server share."""

    home: Path | None
    """As the command line gave it; every worker reads the settings itself."""
    workers: int
    model: SharedModel | None
    """The local model, which the supervisor runs once for all."""


def serve_with_workers(
    settings: Settings, listener: socket.socket, *, workers: int, home: Path | None
) -> None:
    """Serve with so many processes until told to stop. Exits with 1 where none of them could start.

    Who dies is started anew; what it had accepted is lost, what was not accepted yet another one takes.
    """
    make_home(settings)
    with ExitStack() as stack:
        crew = Crew(home=home, workers=workers, model=stack.enter_context(_one_model(settings)))
        folders = ProcessFolders(settings.home / "workers")
        folders.sweep()
        stack.callback(folders.close)
        metrics = folders.own() / "metrics"
        stack.enter_context(counting_together(metrics))
        config = server_config(partial(_worker, crew), settings, workers=workers)
        supervisor = _Supervisor(config, [listener], metrics=metrics)
        supervisor.run()
    if not supervisor.served:
        raise typer.Exit(1)


class _Supervisor(Multiprocess):
    """uvicorn's, which also waits for a slow worker and outlives one that cannot be started anew at once."""

    def __init__(self, config: Config, sockets: list[socket.socket], *, metrics: Path) -> None:
        """`metrics` is the folder where the workers count."""
        super().__init__(config, sockets)
        self._metrics = metrics
        self.served = False
        """Whether any worker ever served."""
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
        """Whether it lives and answered a ping not long ago; waits for no answer."""
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


def _worker(crew: Crew) -> FastAPI:
    """The application of one worker, in its process."""
    share_arenas()
    _end_with_supervisor()
    try:
        settings = read_settings(crew.home)
        settings = settings.model_copy(update={"processes": settings.processes * crew.workers})
        start_log(settings)
        app = create_app(build_platform(settings, local=crew.model))
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

    Thread(target=watch, name="supervisor-watch", daemon=True).start()


@contextmanager
def _one_model(settings: Settings) -> Iterator[SharedModel | None]:
    """The model file's server, started here for all workers; None where no file is set."""
    up = RawValue(ctypes.c_bool, False)
    local = build_local(settings, told=lambda is_up: setattr(up, "value", is_up))
    if local is None:
        yield None
        return
    local.start()
    try:
        yield SharedModel(name=local.name, base_url=local.base_url, api_key=local.api_key, up=up)
    finally:
        local.stop()
