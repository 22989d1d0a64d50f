"""How a server is asked for JSON of a schema: each in the words that it takes, as far as it takes any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Final

from vta.types import JsonSchema

REFUSED_PARAMETER: Final = (400, 422, 500)
"""HTTP statuses of a server that does not know a parameter; 500 is that of llama-cpp-python's."""


class Way(IntEnum):
    """The ways to ask, the first one tried first."""

    JSON_SCHEMA = 0
    """OpenAI, vLLM, SGLang, Ollama, llama.cpp's own server."""
    JSON_OBJECT = 1
    """The server of llama-cpp-python: a JSON object, with the schema beside it."""
    PLAIN = 2
    """By the prompt alone."""


class ResponseFormats:
    """Which way each model takes. A refusal counts once another way was answered, and is not met again."""

    def __init__(self) -> None:
        self._learned: dict[str, Way] = {}

    def ways(self, model: str, schema: JsonSchema | None) -> Iterator[Way]:
        """The ways to try, in order; the prompt alone where no schema is asked for."""
        first = Way.PLAIN if schema is None else self._learned.get(model, Way.JSON_SCHEMA)
        return (way for way in Way if way >= first)

    def answered(self, model: str, schema: JsonSchema | None, way: Way) -> None:
        """The model answered when it was asked in this way."""
        if schema is not None:
            self._learned[model] = way


def response_format(way: Way, schema: JsonSchema | None) -> Mapping[str, object] | None:
    """The value of the parameter `response_format`; None for leaving it out."""
    if schema is None or way is Way.PLAIN:
        return None
    if way is Way.JSON_OBJECT:
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
