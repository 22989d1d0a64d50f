"""A small HTTP server of the tests' own, in a thread."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


def free_port() -> int:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class Asked(BaseHTTPRequestHandler):
    """A request that a `LocalHttp` answers."""

    owner: LocalHttp

    def do_GET(self) -> None:
        self.owner.answer(self)

    def do_POST(self) -> None:
        self.owner.answer(self)

    def setup(self) -> None:
        self.owner.connections += 1
        super().setup()

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def reply(
        self, content: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
    ) -> None:
        """Send all at once; `headers` are named with `_` for `-`."""
        sent = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in {"content_type": kind, "content_length": str(len(sent)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(sent)

    def reply_json(self, value: Any, status: int = 200, kind: str = "application/json") -> None:
        self.reply(json.dumps(value), kind, status)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class LocalHttp:
    """Listens on a free port while it is entered, and answers GET and POST by `answer`."""

    host = "127.0.0.1"
    """By which it is called; `localhost` is another site than the platform at 127.0.0.1."""
    connections = 0

    def __enter__(self) -> Self:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Asked,), {"owner": self}))
        self.server.daemon_threads = True
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join(10)

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.server.server_port}"

    def answer(self, request: Asked) -> None:
        raise NotImplementedError
