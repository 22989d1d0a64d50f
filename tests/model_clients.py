"""Clients of a scripted language model server, and what comes from them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from scripted_llm import ScriptedLlm

from services.language_model.client import OpenAiLanguageModel
from vta.errors import UpstreamFailed

Connect = Callable[..., OpenAiLanguageModel]


@asynccontextmanager
async def connecting(server: ScriptedLlm, **usual: Any) -> AsyncIterator[Connect]:
    """Makes clients of the server, with the `usual` settings unless others are given; closed at the end."""
    made: list[OpenAiLanguageModel] = []

    def make(**changes: Any) -> OpenAiLanguageModel:
        settings = {"base_url": server.base_url, "api_key": "", "model": "m", **usual, **changes}
        made.append(OpenAiLanguageModel(**settings))
        return made[-1]

    yield make
    for model in made:
        await model.aclose()


async def read_pieces(stream: AsyncIterator[str]) -> tuple[list[str], str | None]:
    """The pieces that came and the message of the failure that followed, if one did."""
    pieces: list[str] = []
    try:
        async for piece in stream:
            pieces.append(piece)
    except UpstreamFailed as failure:
        return pieces, failure.message
    return pieces, None
