"""An `Answer` as the JSON that the command line, the dialogue API and the store share.

The fields are those of `vta.types.Answer`; `html` is not among them, the HTTP layer adds it. A locator
carries only what it knows: a key whose value would be null or empty is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from vta.errors import InvalidInput
from vta.types import Answer


@cache
def _answers() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


def answer_to_json(answer: Answer) -> dict[str, JsonValue]:
    """The JSON object of an answer, made of dicts, lists, strings, numbers, booleans and None only."""
    body: dict[str, Any] = _answers().dump_python(answer, mode="json")
    for citation in body["citations"]:
        citation["locator"] = {
            key: value for key, value in citation["locator"].items() if value not in (None, [])
        }
    return body


def answer_from_json(body: Mapping[str, JsonValue]) -> Answer:
    """The answer that `answer_to_json` wrote; unknown keys are ignored.

    `InvalidInput` names the first field that is missing or of the wrong kind.
    """
    try:
        return _answers().validate_python(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"not an answer: {field}: {first['msg']}", field=field) from error
