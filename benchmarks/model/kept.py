"""A proxy in front of a model's server that keeps every reply, so that a run may be cut off and go on.

Every call of a run goes through it: the platform's own, those of plain retrieval, those of the bare model.
The same request is answered from the file, so a run that starts again asks only what it has not asked yet.
The file is the record of every prompt and reply, with its tokens and its times.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

LONGEST_CALL_S = 900.0


class KeptModel:
    """The replies of one model, one JSON line each; asked one at a time, so that times are comparable."""

    def __init__(self, upstream: str, file: Path) -> None:
        """`upstream` is the OpenAI-compatible base URL, `file` where replies are kept."""
        self._upstream = upstream.rstrip("/")
        self._file = file
        self._turn = asyncio.Lock()
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self.calls: list[dict[str, Any]] = [json.loads(line) for line in lines]
        self._kept = {call["key"]: call for call in self.calls}
        self.asked: list[str] = []
        """The keys of all answered calls of this run, in order, those answered from the file too."""
        self.edit: Callable[[str], str] | None = None
        """What is done to the last message before it is asked, for prompts that differ in one thing."""

    async def complete(self, request: Request) -> Response:
        """POST /v1/chat/completions, as a stream or whole."""
        wanted = await request.json()
        streams = bool(wanted.pop("stream", False))
        wanted.pop("stream_options", None)
        if self.edit is not None:
            wanted["messages"][-1]["content"] = self.edit(wanted["messages"][-1]["content"])
        wanted["temperature"] = 0
        wanted["seed"] = 0
        key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:24]
        async with self._turn:
            try:
                call = self._kept.get(key) or await self._ask(key, wanted)
            except httpx.HTTPError as error:
                call = {"error": {"error": {"message": repr(error)}}, "status": 502}
        if "error" in call:
            return JSONResponse(call["error"], status_code=call["status"])
        self.asked.append(key)
        if streams:
            return StreamingResponse(_events(call), media_type="text/event-stream")
        return JSONResponse({**_head(call), "object": "chat.completion", "choices": [_choice(call)]})

    async def _ask(self, key: str, wanted: dict[str, Any]) -> dict[str, Any]:
        """Ask the server by a stream, for the time until the first word; failures are not kept."""
        began, first, text, end = time.perf_counter(), None, "", "stop"
        usage: dict[str, int] = {}
        body = {**wanted, "stream": True, "stream_options": {"include_usage": True}}
        url = f"{self._upstream}/chat/completions"
        async with (
            httpx.AsyncClient(timeout=LONGEST_CALL_S) as client,
            client.stream("POST", url, json=body) as reply,
        ):
            if reply.status_code != 200:
                said = (await reply.aread()).decode("utf-8", "replace")
                return {"key": key, "error": {"error": {"message": said}}, "status": reply.status_code}
            async for line in reply.aiter_lines():
                if not line.startswith("data: ") or line == "data: [DONE]":
                    continue
                piece = json.loads(line.removeprefix("data: "))
                usage = piece.get("usage") or usage
                for choice in piece.get("choices", ())[:1]:
                    said = choice["delta"].get("content") or ""
                    first = first or (time.perf_counter() - began if said else None)
                    text += said
                    end = choice.get("finish_reason") or end
        call = {
            "key": key,
            "model": wanted.get("model"),
            "messages": wanted["messages"],
            "text": text,
            "finish_reason": end,
            "prompt_tokens": usage.get("prompt_tokens") or await self._count(_spoken(wanted)),
            "completion_tokens": usage.get("completion_tokens") or await self._count(text),
            "first_word_s": round(first or 0.0, 3),
            "seconds": round(time.perf_counter() - began, 3),
        }
        self._kept[key] = call
        self.calls.append(call)
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(call, ensure_ascii=False) + "\n")
        return call

    async def _count(self, text: str) -> int:
        """Tokens by llama.cpp's counter where the server has it, else 0."""
        url = f"{self._upstream.removesuffix('/v1')}/extras/tokenize/count"
        async with httpx.AsyncClient(timeout=30.0) as client:
            reply = await client.post(url, json={"input": text})
        return int(reply.json().get("count", 0)) if reply.status_code == 200 else 0

    def call(self, key: str) -> dict[str, Any]:
        """A kept call: messages, text, tokens and seconds."""
        return self._kept[key]


def _spoken(wanted: dict[str, Any]) -> str:
    return "\n".join(str(message["content"]) for message in wanted["messages"])


def _head(call: dict[str, Any]) -> dict[str, Any]:
    tokens = call["prompt_tokens"], call["completion_tokens"]
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return {"id": call["key"], "created": 0, "model": call["model"], "usage": usage}


def _choice(call: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": call["text"]}
    return {"index": 0, "message": message, "finish_reason": call["finish_reason"]}


async def _events(call: dict[str, Any]) -> AsyncGenerator[str]:
    head = {**_head(call), "object": "chat.completion.chunk"}
    usage = head.pop("usage")
    for delta, end in (({"role": "assistant", "content": call["text"]}, None), ({}, call["finish_reason"])):
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
    yield f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


@contextmanager
def serve_kept(upstream: str, file: Path) -> Iterator[tuple[str, KeptModel]]:
    """The base URL of the proxy on a free port, in a thread, and what it keeps."""
    kept = KeptModel(upstream, file)
    app = Starlette(routes=[Route("/v1/chat/completions", kept.complete, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        port = cast(int, server.servers[0].sockets[0].getsockname()[1])
        yield f"http://127.0.0.1:{port}/v1", kept
    finally:
        server.should_exit = True
        thread.join(10)
