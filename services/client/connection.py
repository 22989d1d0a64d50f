"""Requests to the API: the key, problems as exceptions, and trying again where that is safe."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)
LONGEST_WAIT_S = 30.0
_AGAIN = frozenset({409, 429, 503})
"""Statuses after which a request is made again, where the reply says when."""


class ApiError(Exception):
    """A problem that the server told; `code` and `fault` are stable, `detail` is for people."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))
        self.fault = str(problem.get("fault") or "")
        self.detail = str(problem.get("detail", ""))
        self.problem = dict(problem)
        super().__init__(f"{status} {self.code}: {self.detail}")


class Connection:
    """Speaks to one server with one key.

    What reads, and every POST but an upload (by its Idempotency-Key), is made again at most `retries` times:
    after a broken connection, and where the server says when to come back within `LONGEST_WAIT_S`.
    """

    def __init__(self, http: httpx2.Client, *, key: str | None, retries: int) -> None:
        self._http = http
        self._key = key
        self._retries = retries

    def get(self, model: type[M], path: str, /, **query: object) -> M:
        """What stands there; arguments that are None are left out."""
        return self._read(model, self._send("GET", path, params=_given(query)))

    def post(self, model: type[M], path: str, body: object = None) -> M:
        """What came of it."""
        return self._read(model, self._send("POST", path, json=body))

    def do(self, method: str, path: str, body: object = None, /, **query: object) -> None:
        """Something that nothing comes back from."""
        self._send(method, path, json=body, params=_given(query))

    def change(
        self, model: type[M], method: str, path: str, body: object, *, version: int | None = None
    ) -> M:
        """What it is now; `version` is the one that was read, and 412 says that it is another one by now."""
        headers = {} if version is None else {"If-Match": f'"{version}"'}
        return self._read(model, self._send(method, path, json=body, headers=headers))

    def upload(self, model: type[M], path: str, files: Sequence[tuple[str, bytes]]) -> M:
        """Files by name, in a form."""
        form = [("files", (name, content)) for name, content in files]
        return self._read(
            model, self._checked(self._http.post(path, files=form, headers=self._authorization))
        )

    @contextmanager
    def events(self, path: str, body: object) -> Iterator[Iterator[httpx2.ServerSentEvent]]:
        """The events of a stream, which is closed at the end; never made again."""
        with self._http.sse(path, method="POST", json=body, headers=self._authorization) as source:
            if not source.response.is_success:
                source.response.read()
                self._checked(source.response)
            yield iter(source)

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _send(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **parts: Any
    ) -> httpx2.Response:
        sent = {**self._authorization, **(headers or {})}
        if method == "POST":
            sent["Idempotency-Key"] = uuid.uuid4().hex
        tries = self._retries if method in ("GET", "POST") else 0
        for left in range(tries, -1, -1):
            try:
                reply = self._http.request(method, path, headers=sent, **parts)
            except httpx2.TransportError:
                if not left:
                    raise
                continue
            wait_s = _wait_s(reply)
            if not left or wait_s is None:
                break
            time.sleep(wait_s)
        return self._checked(reply)

    @staticmethod
    def _checked(reply: httpx2.Response) -> httpx2.Response:
        if reply.is_success:
            return reply
        try:
            problem = reply.json()
        except ValueError:
            problem = {}
        raise ApiError(reply.status_code, problem if isinstance(problem, dict) else {})

    @staticmethod
    def _read(model: type[M], reply: httpx2.Response) -> M:
        return model.model_validate_json(reply.content)


def _given(query: Mapping[str, object]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}


def _wait_s(reply: httpx2.Response) -> float | None:
    """Seconds until the request may be made again; None where it shall not."""
    after = reply.headers.get("Retry-After", "")
    if reply.status_code not in _AGAIN or not after.isdecimal() or int(after) > LONGEST_WAIT_S:
        return None
    return float(after)
