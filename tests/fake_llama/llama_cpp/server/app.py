"""The few routes of llama-cpp-python's server that the platform uses; a model says what its file says.

The file holds GGUF and then the answer. "broken" cannot be loaded; an answer that ends with "!" is the last
one: the process dies after it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import BackgroundTasks, Depends, FastAPI, Header, HTTPException
from fastapi.responses import StreamingResponse

from llama_cpp.server.settings import ModelSettings, ServerSettings


def create_app(*, server_settings: ServerSettings, model_settings: list[ModelSettings]) -> FastAPI:
    (model,) = model_settings
    text = Path(model.model).read_text(encoding="utf-8").removeprefix("GGUF").strip()
    print("a library prints what it likes")
    if text == "broken":
        raise ValueError("the model cannot be loaded")

    def authenticate(authorization: Annotated[str, Header()] = "") -> None:
        if authorization != f"Bearer {server_settings.api_key}":
            raise HTTPException(401)

    app = FastAPI(dependencies=[Depends(authenticate)])

    @app.get("/v1/models")
    def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": model.model_alias, "object": "model"}]}

    @app.post("/v1/chat/completions", response_model=None)
    def complete(body: dict[str, Any], after: BackgroundTasks) -> Any:
        if text.endswith("!"):
            after.add_task(os._exit, 3)
        if body["stream"]:
            return StreamingResponse(stream(text), media_type="text/event-stream", background=after)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}

    return app


def stream(text: str) -> Iterator[str]:
    for content, finish in ((text, None), (None, "stop")):
        choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish}
        chunk = {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"
