"""A real HTTP server that plays a search engine, good or bad.

The fixture `scripted_search` is a running one. A test says what the next requests get
(`scripted_search.play(scripted_search.reply(b"..."))`; the last scene repeats) and reads afterwards what was
sent (`scripted_search.requests`).
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from local_http import Asked as Handler
from local_http import LocalHttp


@dataclass(frozen=True)
class Asked:
    """A request as it came; `fields` are those of the query string and the form."""

    method: str
    path: str
    fields: dict[str, str]
    headers: dict[str, str]
    body: str


Scene = Callable[[Handler], None]


class ScriptedSearch(LocalHttp):
    """Plays its scenes in order, the last one again and again."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self._scenes: list[Scene] = [self.reply(b"{}")]
        self._leaving = threading.Event()

    def __exit__(self, *exception: object) -> None:
        self._leaving.set()
        super().__exit__(*exception)

    @property
    def url(self) -> str:
        return self.address

    def play(self, *scenes: Scene) -> None:
        self._scenes = list(scenes)

    def json(self, value: Any) -> Scene:
        return self.reply(json.dumps(value).encode())

    def reply(self, body: bytes, status: int = 200, **headers: str) -> Scene:
        def scene(handler: Handler) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        return scene

    def silence(self) -> Scene:
        """Takes the request and never answers."""
        return lambda handler: self._leaving.wait(30) and None

    def drip(self) -> Scene:
        """A good beginning, then a blank every now and then, for ever."""

        def scene(handler: Handler) -> None:
            handler.send_response(200)
            handler.end_headers()
            while not self._leaving.wait(0.02):
                handler.wfile.write(b" ")
                handler.wfile.flush()

        return scene

    def answer(self, handler: Handler) -> None:
        body = handler.body().decode()
        parts = urlsplit(handler.path)
        fields = dict(parse_qsl(parts.query) + parse_qsl(body))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append(Asked(handler.command, parts.path, fields, headers, body))
        scene = self._scenes.pop(0) if len(self._scenes) > 1 else self._scenes[0]
        handler.close_connection = True
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            scene(handler)
