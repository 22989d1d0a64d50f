"""The web server that runs the application: its settings, and how it tells the application of its end."""

from __future__ import annotations

import ctypes
import gc
import math
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.server import HANDLED_SIGNALS

from services.settings import Settings

_M_ARENA_MAX = -8
"""The parameter's number in glibc's malloc.h."""
_ARENAS = 2
"""With glibc's eight a core, 290 MB that were freed lay in arenas of idle threads after a minute of 16
clients on two cores; with two, 43 MB after three, at about the same rate (`benchmarks/memory.py`)."""


def share_arenas() -> None:
    """Let all threads take memory from the same few arenas, so that one uses what another has freed.

    To be called before there are threads; without glibc it does nothing.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def server_config(make: Callable[[], FastAPI], settings: Settings, *, workers: int = 1) -> uvicorn.Config:
    """How an application is served; who the client is, behind a proxy, is for `TrustedProxies` to say."""
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
            app.state.closing.begin()
            if callable(then):
                then(sig, frame)

        signal.signal(number, handle)
    gc.collect()
    gc.freeze()
    return app
