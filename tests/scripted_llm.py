"""A real HTTP server that plays a scripted language model, good or bad.

The fixture `scripted_llm` is a running one. A test says what the next requests get
(`scripted_llm.play(scripted_llm.status(429), scripted_llm.ok("hello"))`; the last scene repeats) and
afterwards reads what was sent (`scripted_llm.messages`, `scripted_llm.requests`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

MODEL = "scripted-model"
DONE = b"data: [DONE]\n\n"


class ClientLeftError(Exception):
    """The other side closed the connection."""


@dataclass
class Request:
    """A request as it came over the wire; header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Call:
    """One request being answered."""

    request: Request
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def streaming(self) -> bool:
        return bool(self.request.body.get("stream"))

    async def respond(self, status: int, body: bytes, content_type: str, *headers: tuple[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} Scripted", f"content-type: {content_type}"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines += [f"content-length: {len(body)}", "", ""]
        self.writer.write("\r\n".join(lines).encode() + body)
        await self.writer.drain()

    async def begin_stream(self) -> None:
        self.writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        await self.writer.drain()

    async def send(self, data: bytes) -> None:
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()

    async def end_stream(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    async def pause(self, seconds: float | None) -> None:
        """Wait, but notice when the client leaves."""
        with contextlib.suppress(TimeoutError):
            if not await asyncio.wait_for(self.reader.read(1), seconds):
                raise ClientLeftError

    def cut(self) -> None:
        """Break the connection off, without a goodbye."""
        self.writer.transport.abort()
        raise ClientLeftError


Scene = Callable[[Call], Awaitable[None]]


def chunk(text: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One SSE event of a streamed answer."""
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}
    return b"data: " + json.dumps(event | more).encode() + b"\n\n"


def completion(text: str | None, finish: str = "stop", **more: Any) -> bytes:
    """The JSON body of a whole answer: 7 prompt tokens, 3 completion tokens."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    reply = {"id": "c1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
    return json.dumps(reply | {"usage": usage} | more).encode()


@dataclass
class ScriptedLlm:
    """The server and its script. The scenes below are what `play` takes.

    `arrived` is set once a request came, `left` once a client broke off in the middle of a scene.
    """

    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    arrived: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)
    model: str = MODEL

    # Scenes

    @staticmethod
    def ok(text: str = "A stack is last in, first out.", finish: str = "stop") -> Scene:
        """A good answer, whole or word by word, as the request wants it."""

        async def scene(call: Call) -> None:
            if not call.streaming:
                await call.respond(200, completion(text, finish), "application/json")
                return
            await call.begin_stream()
            words = [word + " " for word in text.split(" ")]
            for word in [*words[:-1], words[-1][:-1]]:
                await call.send(chunk(word))
            await call.send(chunk(finish=finish) + DONE)
            await call.end_stream()

        return scene

    @staticmethod
    def status(
        code: int, *headers: tuple[str, str], body: str = '{"error":{"message":"upstream words"}}'
    ) -> Scene:
        """An HTTP error, such as 401, 500, or 429 with ("Retry-After", "1")."""

        async def scene(call: Call) -> None:
            await call.respond(code, body.encode(), "application/json", *headers)

        return scene

    @staticmethod
    def html() -> Scene:
        """Status 200 with a page, as a captive portal or a proxy sends it."""
        return ScriptedLlm.body(b"<!doctype html><html><body>Welcome</body></html>", content_type="text/html")

    @staticmethod
    def body(body: bytes, *headers: tuple[str, str], content_type: str = "application/json") -> Scene:
        """Status 200 with this body, streaming or not."""

        async def scene(call: Call) -> None:
            await call.respond(200, body, content_type, *headers)

        return scene

    @staticmethod
    def without_end(begin: bytes, content_type: str = "application/json", status: int = 200) -> Scene:
        """A body that never ends, in one line, as fast as it is read."""

        async def scene(call: Call) -> None:
            head = f"HTTP/1.1 {status} Scripted\r\ncontent-type: {content_type}\r\n\r\n"
            call.writer.write(head.encode() + begin)
            while True:
                call.writer.write(b"x" * 65536)
                await call.writer.drain()

        return scene

    @staticmethod
    def whole(text: str | None, finish: str = "stop", **more: Any) -> Scene:
        """Status 200 with a whole answer, `more` replacing fields of the JSON."""
        return ScriptedLlm.body(completion(text, finish, **more))

    @staticmethod
    def hang() -> Scene:
        """Takes the request and never answers."""

        async def scene(call: Call) -> None:
            await call.pause(None)

        return scene

    @staticmethod
    def drop() -> Scene:
        """Takes the request and breaks the connection off."""

        async def scene(call: Call) -> None:
            call.cut()

        return scene

    @staticmethod
    def pieces(
        texts: Sequence[str], *, every_s: float = 0.0, finish: str | None = "stop", done: bool = True
    ) -> Scene:
        """A stream of these pieces; without `finish` or `done` it just ends."""

        async def scene(call: Call) -> None:
            await call.begin_stream()
            for text in texts:
                await call.send(chunk(text))
                await call.pause(every_s or 0.001)
            if finish is not None:
                await call.send(chunk(finish=finish))
            if done:
                await call.send(DONE)
            await call.end_stream()

        return scene

    @staticmethod
    def cut_after(texts: Sequence[str]) -> Scene:
        """A stream whose connection breaks after these pieces."""

        async def scene(call: Call) -> None:
            await call.begin_stream()
            for text in texts:
                await call.send(chunk(text))
            await call.pause(0.05)
            call.cut()

        return scene

    @staticmethod
    def events(*raw: bytes, then_hang: bool = False) -> Scene:
        """A stream of these bytes as they are."""

        async def scene(call: Call) -> None:
            await call.begin_stream()
            for data in raw:
                await call.send(data)
            if then_hang:
                await call.pause(None)
            await call.end_stream()

        return scene

    @staticmethod
    def models() -> Scene:
        """The list of models, for `GET /v1/models`."""
        listing = {
            "object": "list",
            "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "x"}],
        }
        return ScriptedLlm.body(json.dumps(listing).encode())

    chunk = staticmethod(chunk)
    completion = staticmethod(completion)
    done = DONE

    # What a test asks

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def messages(self) -> list[list[dict[str, str]]]:
        """The messages of each chat request, in order, exactly as sent."""
        return [request.body["messages"] for request in self.requests if "messages" in request.body]

    def play(self, *scenes: Scene) -> Self:
        """Answer the coming requests with these scenes; the last one repeats."""
        self._scenes = list(scenes)
        return self

    @staticmethod
    def refused_url() -> str:
        """An address where nobody listens."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"

    # The server

    def __enter__(self) -> Self:
        self._scenes = [self.ok()]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="scripted-llm", daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(5)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def _stop(self) -> None:
        self._server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (request := await self._read(reader)) is not None:
                self.requests.append(request)
                self.arrived.set()
                scene = self._scenes.pop(0) if len(self._scenes) > 1 else self._scenes[0]
                await scene(Call(request, reader, writer))
        except (ClientLeftError, ConnectionError):
            self.left.set()
        except asyncio.CancelledError:
            pass  # the server stops
        finally:
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    @staticmethod
    async def _read(reader: asyncio.StreamReader) -> Request | None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.strip().split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Request(method, path, headers, json.loads(body) if body else {})
