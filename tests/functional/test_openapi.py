"""What /openapi.json promises, tried out by schemathesis with good and with bad data."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from served_platform import ENGLISH, Serve, bearer

from vta.types.courses import Role

ADMIN = "an-admin-key-for-tests"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
BOUNDED = settings(
    max_examples=examples(20),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
CALLERS = {"instructor": 3, "platform": 2, "admin": 2, "nobody": 1}
"""Who asks, and how often: an instructor and a platform of the course, the bearer of the admin key."""


@pytest.mark.fault(case="T42")
@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_operation_keeps_to_its_document(serve: Serve, mode: GenerationMode) -> None:
    """No 5xx; status, media type and body of every reply are as /openapi.json says, with and without keys.

    A key asks of its own course and of others, the admin of any.
    """
    api = serve(admin_key=ADMIN)
    headers = {"admin": bearer(ADMIN), "nobody": {}} | {
        role.value: api.bearer(role) for role in (Role.INSTRUCTOR, Role.PLATFORM)
    }
    callers = st.sampled_from([who for who, times in CALLERS.items() for _ in range(times)])

    def check(case: Any, who: str, is_own: bool) -> None:
        if is_own and who != "admin" and "course" in case.path_parameters:
            case.path_parameters["course"] = ENGLISH
        case.call_and_validate(checks=CHECKS, headers=headers[who])

    schema = schemathesis.openapi.from_url(f"{api.address}/openapi.json")
    tried: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        tried.append(operation.label)
        if mode is GenerationMode.NEGATIVE and not (operation.path_parameters or operation.body):
            continue  # nothing to get wrong
        case = operation.as_strategy(generation_mode=mode)
        own = st.sampled_from([True, True, True, False])
        BOUNDED(given(case, callers, own)(check))()
    assert len(tried) == 91


def test_the_document_names_every_field_of_an_answer(serve: Serve) -> None:
    """The schema of an answer and a real answer have the same fields."""
    api = serve()
    document = api.client.get("/openapi.json").json()
    reply = api.client.post("/v1/courses/stacks-en/dialogue", json={"question": "What is a stack?"})
    answer = document["components"]["schemas"]["AnswerOut"]
    assert set(answer["properties"]) == set(answer["required"]) == set(reply.json())
    assert set(document["components"]["schemas"]["CitationOut"]["required"]) == set(
        reply.json()["citations"][0]
    )
