"""What /openapi.json promises, tried out by schemathesis with good and with bad data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from examples import examples
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from served_platform import Serve, Served

from vta.types import CourseId, Role

COURSE = CourseId("stacks-en")
ADMIN = "an-admin-key-for-tests"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
BOUNDED = settings(
    max_examples=examples(12),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def _checker(known: dict[str, str], headers: dict[str, str]) -> Callable[[Any], None]:
    """Sends a case, with these path parameters in place of its own, and checks the reply."""

    def check(case: Any) -> None:
        case.path_parameters.update(known)
        case.call_and_validate(checks=CHECKS, headers=headers)

    return check


def _headers(api: Served, bearer: str | None) -> dict[str, str]:
    """The header of a bearer of the course's key of that role, or of the admin key."""
    if bearer is None:
        return {}
    key = ADMIN if bearer == "admin" else api.platform.stores.keys.make(COURSE, Role(bearer))[0]
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("course", "bearer"),
    [(None, None), (None, "admin"), (COURSE, None), (COURSE, "instructor"), (COURSE, "platform")],
)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_every_operation_keeps_to_its_document(
    serve: Serve, mode: GenerationMode, course: str | None, bearer: str | None
) -> None:
    """No 5xx; status, media type and body of every reply are as /openapi.json says, with and without keys."""
    api = serve(admin_key=ADMIN)
    headers = _headers(api, bearer)
    schema = schemathesis.openapi.from_url(f"{api.address}/openapi.json")
    tried: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        tried.append(operation.label)
        if mode is GenerationMode.NEGATIVE and not (operation.path_parameters or operation.body):
            continue  # nothing to get wrong
        known = {} if course is None or "{course}" not in operation.path else {"course": course}
        BOUNDED(given(operation.as_strategy(generation_mode=mode))(_checker(known, headers)))()
    assert len(tried) == 73


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
