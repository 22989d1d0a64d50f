"""Replies in JSON that fill in frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

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
    """The part of a schema that a grammar needs: types, choices and items; every property required.

    A form inside a form stands where it is used.
    """
    definitions = schema.get("$defs", {})
    return _strict(schema, definitions if isinstance(definitions, Mapping) else {})


def _strict(schema: JsonSchema, definitions: Mapping[str, JsonSchema]) -> JsonSchema:
    if isinstance(name := schema.get("$ref"), str):
        schema = definitions[name.rpartition("/")[2]]
    strict = {name: value for name, value in schema.items() if name in _KEPT}
    if isinstance(items := schema.get("items"), Mapping):
        strict["items"] = _strict(items, definitions)
    if isinstance(properties := schema.get("properties"), Mapping):
        strict["properties"] = {name: _strict(each, definitions) for name, each in properties.items()}
        strict |= {"required": list(properties), "additionalProperties": False}
    return strict


def _object_in(text: str) -> str:
    """From the first brace to the last; the text itself where it has none."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _fault(error: ValidationError) -> str:
    """The first fault, without what the model said."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['type']}" if place else str(first["type"])
