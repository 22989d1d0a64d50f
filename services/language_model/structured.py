"""Replies in JSON that fill in frozen dataclasses, and the forms of reply that a server is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from prompts.messages import repair_messages
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.ports import LanguageModel
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, JsonSchema

T = TypeVar("T")

_KEPT = ("type", "enum", "const", "anyOf", "minItems", "maxItems")


class StructuredAnswers:
    """A language model that fills in frozen dataclasses: a schema, strict checking, and one repair.

    `calls` and the `tokens` of prompts and whole answers add up.
    """

    def __init__(self, model: LanguageModel, *, course_id: CourseId | None = None) -> None:
        """`course_id` is the course that the calls are counted under."""
        self._model = model
        self._course_id = course_id
        self.calls = self.tokens = 0

    async def fill(self, messages: Sequence[ChatMessage], shape: type[T], *, language: Language) -> T:
        """The reply as a `shape`, also from inside other words; `UpstreamFailed` after one failed repair."""
        adapter = TypeAdapter(shape)
        schema = strict_schema(adapter.json_schema())
        answer = await self._complete(messages, schema)
        try:
            return adapter.validate_json(_object_in(answer))
        except ValidationError as error:
            again = (*messages, *repair_messages(answer, _fault(error), language))
        answer = await self._complete(again, schema)
        try:
            return adapter.validate_json(_object_in(answer))
        except ValidationError as error:
            raise UpstreamFailed(Fault("model.wrong_form", reason=_fault(error))) from error

    async def _complete(self, messages: Sequence[ChatMessage], schema: JsonSchema) -> str:
        self.calls += 1
        completion = await self._model.complete(messages, course_id=self._course_id, schema=schema)
        self.tokens += completion.prompt_tokens + completion.completion_tokens
        return completion.text


def strict_schema(schema: JsonSchema) -> JsonSchema:
    """What a grammar needs of a schema: types, choices and items; every property required, no others.

    A form inside a form stands where it is used.
    """
    definitions = schema.get("$defs", {})
    return _strict(schema, definitions if isinstance(definitions, Mapping) else {})


def _strict(schema: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    if isinstance(name := schema.get("$ref"), str):
        schema = definitions[name.rpartition("/")[2]]
    kept = {name: value for name, value in schema.items() if name in _KEPT}
    if isinstance(items := schema.get("items"), Mapping):
        kept["items"] = _strict(items, definitions)
    if isinstance(properties := schema.get("properties"), Mapping):
        kept["properties"] = {name: _strict(each, definitions) for name, each in properties.items()}
        kept |= {"required": list(properties), "additionalProperties": False}
    return kept


def _object_in(text: str) -> str:
    """From the first brace to the last; the text itself where it has none."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _fault(error: ValidationError) -> str:
    """The first fault, without what the model said."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['type']}" if place else str(first["type"])


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
