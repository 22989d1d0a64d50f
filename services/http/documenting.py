"""What the OpenAPI document says of all routes alike, which no single route can say."""

from __future__ import annotations

from typing import Any

from services.http.problems import document_problems

_PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
    "description": "Any text of your choice, best a random UUID: the same request again within 24 hours gets "
    "the same reply and has no second effect.",
}
_OF_ALL = {"429": "Too many requests; Retry-After says when to come back."}
_OF_WRITES = {
    "409": "The first request with this Idempotency-Key is still at work, or its reply was not kept.",
    "422": "The request cannot be used as it is, or its Idempotency-Key came with another one.",
    **_OF_ALL,
}


def document_common(schema: dict[str, Any]) -> dict[str, Any]:
    """The document, changed in place: limits and `Idempotency-Key` under /v1, problems as what they are."""
    for path, operations in schema["paths"].items():
        if not path.startswith("/v1/"):
            continue
        for method, operation in operations.items():
            for status, description in (_OF_WRITES if method == "post" else _OF_ALL).items():
                told = {"description": description, "content": dict(_PROBLEM)}
                operation["responses"].setdefault(status, told)
            if method == "post" and "multipart/form-data" not in _bodies(operation):
                operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
    return document_problems(schema)


def _bodies(operation: dict[str, Any]) -> dict[str, Any]:
    """The bodies that an operation reads, by media type."""
    body: dict[str, Any] = operation.get("requestBody", {})
    return dict(body.get("content", {}))
