"""The web server that runs the application: its settings, and how it tells the application of its end."""

from __future__ import annotations

import math
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.server import HANDLED_SIGNALS

from services.settings import Settings


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
    uvicorn.Server(server_config(partial(begins_to_close, app), settings)).run(sockets=[listener])


def begins_to_close(app: FastAPI) -> FastAPI:
    """The application, which learns of a signal to stop before the server acts on it.

    So running answers end in words. To be called where the server's handlers are in place: in its factory.
    Outside the main thread nobody hears signals.
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
    return app
