"""A server is asked for JSON of a schema until it refuses that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from model_clients import Connect, connecting
from pydantic import TypeAdapter
from scripted_llm import ScriptedLlm

from concept_graph.model_graph import SectionReply
from services.dialogue.transcripts import ChunkFinding
from services.language_model.structured import StructuredAnswers, strict_schema
from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.types.language_model import ChatMessage

ASKED = (ChatMessage(role="user", content="Is it?"),)
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
BY_SCHEMA = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}


@pytest.fixture
async def connect(scripted_llm: ScriptedLlm) -> AsyncIterator[Connect]:
    async with connecting(scripted_llm) as make:
        yield make


def formats(scripted_llm: ScriptedLlm) -> list[object]:
    return [request.body.get("response_format") for request in scripted_llm.requests]


async def test_a_schema_is_sent_as_openai_has_it_where_one_is_wanted(
    scripted_llm: ScriptedLlm, connect: Any
) -> None:
    scripted_llm.play(scripted_llm.whole("{}"), scripted_llm.whole("hello"))
    await connect().complete(ASKED, schema=SCHEMA)
    await connect().complete(ASKED)
    assert formats(scripted_llm) == [BY_SCHEMA, None]
    assert "response_format" not in scripted_llm.requests[1].body


@pytest.mark.parametrize("status", [400, 422, 500])
async def test_a_refused_form_is_left_out_by_that_model_from_then_on(
    scripted_llm: ScriptedLlm, connect: Any, status: int
) -> None:
    """llama-cpp-python's server answers 500. The fallback is asked anew."""
    good, broken = scripted_llm.whole("{}"), scripted_llm.status(503)
    scripted_llm.play(scripted_llm.status(status), good, good, broken, good)
    model = connect(fallback="other", max_retries=0)
    for _ in range(3):
        await model.complete(ASKED, schema=SCHEMA)
    assert formats(scripted_llm) == [BY_SCHEMA, None, None, None, BY_SCHEMA]


async def test_a_request_that_is_refused_without_a_form_too_teaches_nothing(
    scripted_llm: ScriptedLlm, connect: Any
) -> None:
    """A prompt that is too long is refused with 400, too."""
    refused = scripted_llm.status(400)
    scripted_llm.play(refused, refused, scripted_llm.whole("{}"))
    model = connect()
    with pytest.raises(UpstreamFailed):
        await model.complete(ASKED, schema=SCHEMA)
    await model.complete(ASKED, schema=SCHEMA)
    assert formats(scripted_llm) == [BY_SCHEMA, None, BY_SCHEMA]


async def test_a_form_is_found_after_thoughts_and_in_a_fence(scripted_llm: ScriptedLlm, connect: Any) -> None:
    form = '{"quotes": ["a"], "answer": "yes"}'
    scripted_llm.play(scripted_llm.whole(f'<think>Is it {{"answer": "no"}}?</think>\n```json\n{form}\n```'))
    found = await StructuredAnswers(connect()).fill(ASKED, ChunkFinding, language=Language.EN)
    assert found == ChunkFinding(answer="yes", quotes=("a",))
    assert len(scripted_llm.requests) == 1


async def test_a_filled_form_is_asked_for_by_its_schema(scripted_llm: ScriptedLlm, connect: Any) -> None:
    scripted_llm.play(scripted_llm.whole('{"quotes": ["a"], "answer": "yes"}'))
    found = await StructuredAnswers(connect()).fill(ASKED, ChunkFinding, language=Language.EN)
    assert found == ChunkFinding(answer="yes", quotes=("a",))
    (sent,) = formats(scripted_llm)
    assert sent["json_schema"]["schema"] == strict_schema(TypeAdapter(ChunkFinding).json_schema())


def test_a_strict_schema_requires_every_property_in_the_order_of_the_form() -> None:
    schema = strict_schema(TypeAdapter(ChunkFinding).json_schema())
    assert schema == {
        "type": "object",
        "properties": {
            "quotes": {"type": "array", "items": {"type": "string"}},
            "answer": {"type": "string", "enum": ["yes", "no", "unknown"]},
        },
        "required": ["quotes", "answer"],
        "additionalProperties": False,
    }
    assert list(schema["properties"]) == ["quotes", "answer"]


def test_a_form_inside_a_form_stands_where_it_is_used() -> None:
    """Servers that make grammars of schemas do not all follow references."""
    schema: Any = strict_schema(TypeAdapter(SectionReply).json_schema())
    concept = schema["properties"]["concepts"]["items"]
    assert list(concept["properties"]) == ["name", "aliases", "quote", "passage"]
    assert concept["additionalProperties"] is False
    assert "$ref" not in str(schema)
