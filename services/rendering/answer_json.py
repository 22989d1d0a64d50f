"""An `Answer` as the JSON that the command line, the dialogue API and the store share.

The fields are those of `vta.types.answers.Answer`; `html` is not among them, the HTTP layer adds it. A
locator carries only what it knows: a key whose value would be null or empty is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.answers import Answer, Citation
from vta.types.concepts import ConceptCard, Prerequisite
from vta.types.pairs import Locator

T = TypeVar("T")


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def answer_to_json(answer: Answer) -> dict[str, JsonValue]:
    """The JSON object of an answer, made of dicts, lists, strings, numbers, booleans and None only."""
    body: dict[str, Any] = _adapter(Answer).dump_python(answer, mode="json")
    body["citations"] = [citation_to_json(citation) for citation in answer.citations]
    body["concepts"] = [concept_to_json(concept) for concept in answer.concepts]
    return body


def citation_to_json(citation: Citation) -> dict[str, JsonValue]:
    body: dict[str, Any] = _adapter(Citation).dump_python(citation, mode="json")
    return {**body, "locator": locator_to_json(citation.locator)}


def concept_to_json(concept: ConceptCard) -> dict[str, JsonValue]:
    body: dict[str, Any] = _adapter(ConceptCard).dump_python(concept, mode="json")
    return {**body, "prerequisites": [_prerequisite_to_json(each) for each in concept.prerequisites]}


def _prerequisite_to_json(known: Prerequisite) -> dict[str, JsonValue]:
    body: dict[str, JsonValue] = {"name": known.name, "definition": known.definition, "where": known.where}
    place: dict[str, JsonValue] = {"document": known.document, "locator": locator_to_json(known.locator)}
    return body | {key: value for key, value in place.items() if value not in (None, {})}


def locator_to_json(locator: Locator) -> dict[str, JsonValue]:
    """The known parts of a locator."""
    body: dict[str, JsonValue] = _adapter(Locator).dump_python(locator, mode="json", exclude_defaults=True)
    return body


def answer_from_json(body: Mapping[str, JsonValue]) -> Answer:
    """The answer that `answer_to_json` wrote; unknown keys are ignored.

    `InvalidInput` names the first field that is missing or of the wrong kind.
    """
    try:
        answer: Answer = _adapter(Answer).validate_python(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            Fault("data.not_an_answer", field=field, reason=first["msg"]), field=field
        ) from error
    return answer
