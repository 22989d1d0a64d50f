"""A platform that listens for webhooks: a real HTTP server that answers with the statuses it is told."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
from dataclasses import dataclass
from typing import Any

from local_http import Asked, LocalHttp

WAIT_S = 30.0


@dataclass(frozen=True)
class Heard:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def is_signed_with(self, secret: str) -> bool:
        """As a platform verifies it, by the standard alone."""
        key = base64.b64decode(secret.split("_", 1)[1])
        signed = f"{self.id}.{self.headers['webhook-timestamp']}.{self.body.decode()}".encode()
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return f"v1,{expected}" in self.headers["webhook-signature"].split()


class ListeningPlatform(LocalHttp):
    """Listens while it is entered; `statuses` are given in order, then 204."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.heard: queue.Queue[Heard] = queue.Queue()

    def answer(self, request: Asked) -> None:
        body, headers = request.body(), {name.lower(): value for name, value in request.headers.items()}
        status = self.statuses.pop(0) if self.statuses else 204
        to = {"location": f"{self.url}/elsewhere"} if status in (301, 302, 307) else {}
        request.reply("", status=status, **to)
        self.heard.put(Heard(request.path, headers, body))

    @property
    def url(self) -> str:
        return self.address

    def next(self) -> Heard:
        """The next request, waited for."""
        return self.heard.get(timeout=WAIT_S)
