"""Every error of the API as one RFC 9457 problem; no other module knows the HTTP codes of these errors."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from vta.errors import Conflict, InvalidInput, LimitExceeded, NotFound, NotReady, UpstreamFailed, VtaError
from vta.faults import Fault
from vta.languages import Language

_STATUS: dict[type[VtaError], HTTPStatus] = {
    InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotFound: HTTPStatus.NOT_FOUND,
    NotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    Conflict: HTTPStatus.CONFLICT,
    LimitExceeded: HTTPStatus.TOO_MANY_REQUESTS,
}
_HTTP_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}
"""Codes of the framework's refusals; the names in `HTTPStatus` change with Python's version."""
_RETRY_AFTER_S = 5
UPSTREAM = Fault("api.upstream")
"""Of a failed store, index or model; which one, where and why is in the log alone."""
FAILED = Fault("api.failed")
"""Of an unforeseen failure; the log has the traceback."""
_MEDIA_TYPE = "application/problem+json"
_OPENAI_PATHS = ("/chat/completions", "/models")

_log = logging.getLogger(__name__)


class FieldFault(BaseModel):
    """One fault of a request: where, and what is wrong."""

    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem details; `code` is stable and meant for machines."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    fault: str | None = Field(
        default=None,
        description="What exactly went wrong, as a stable code: `question.too_long`. `code` is its kind.",
    )
    errors: list[FieldFault] | None = Field(default=None)
    current: dict[str, Any] | None = Field(
        default=None, description="With 412: the present version, for the editor who was slower."
    )


_OF_ALL = {
    401: "No key, or none that is known.",
    403: "The key does not open this.",
    404: "No such course.",
    422: "The request cannot be used as it is.",
    503: "The store cannot be reached right now.",
}
_OF_BODIES = {
    400: "The body is no JSON at all.",
    409: "The course is archived, so nothing in it is changed.",
    413: "The body is larger than this server reads.",
}


def problems(own: Mapping[int, str] | None = None, *, bodies: bool = True) -> dict[int | str, dict[str, Any]]:
    """The problems of a router in the OpenAPI document: the usual ones and its own, by status."""
    return only(_OF_ALL | (_OF_BODIES if bodies else {}) | dict(own or {}))


def only(words: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """These problems alone, for a route that adds them to its router's."""
    return {status: {"model": Problem, "description": words[status]} for status in sorted(words)}


class BodyTooLarge(HTTPException):
    """The body has more bytes than are read. FastAPI makes 400 of anything else raised while it reads one."""

    def __init__(self, largest: int) -> None:
        self.fault = Fault("api.body_too_large", most=largest)
        super().__init__(413, self.fault.text())

    def response(self) -> JSONResponse:
        """The reply, for a layer outside the application."""
        return _response(_problem(HTTPStatus(413), _HTTP_CODES[413], self.fault))


class ProblemRaised(Exception):
    """A problem of HTTP itself, such as a missing key or an old ETag, which the inside knows nothing of."""

    def __init__(
        self,
        status: int,
        code: str,
        fault: Fault,
        *,
        headers: Mapping[str, str] | None = None,
        current: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(fault.text())
        self.fault = fault
        self.problem = _problem(HTTPStatus(status), code, fault)
        self.problem.current = current
        self.headers = dict(headers or {})

    def response(self, request: Request | None = None) -> JSONResponse:
        response = _response(self.problem, request)
        response.headers.update(self.headers)
        return response

    def page_text(self, language: Language) -> str:
        return self.fault.page_text(language)


def bad_request(fault: Fault) -> ProblemRaised:
    """The problem of a body or form from which nothing can be done."""
    return ProblemRaised(400, "bad_request", fault)


def unauthorized(fault: Fault) -> ProblemRaised:
    """The problem of a request without valid credentials."""
    return ProblemRaised(401, "unauthorized", fault, headers={"WWW-Authenticate": "Bearer"})


def forbidden(fault: Fault) -> ProblemRaised:
    """The problem of someone who may not do this."""
    return ProblemRaised(403, "forbidden", fault)


def course_archived() -> ProblemRaised:
    """The problem of a student who asks a course that is archived."""
    return ProblemRaised(409, "course_archived", Fault("course.archived"))


def precondition_failed(
    fault: Fault, *, headers: Mapping[str, str], current: dict[str, Any]
) -> ProblemRaised:
    """The problem of a change to a version that is no longer `current`."""
    return ProblemRaised(412, "precondition_failed", fault, headers=headers, current=current)


def precondition_required(fault: Fault) -> ProblemRaised:
    """The problem of a change without the version it is of."""
    return ProblemRaised(428, "precondition_required", fault)


def too_many(kind: str, wait_s: int, *, headers: Mapping[str, str] | None = None) -> ProblemRaised:
    """The problem of too many requests: whose limit it is, and when to come back."""
    fault = Fault("api.too_many", kind=kind, seconds=wait_s)
    return ProblemRaised(
        429, "limit_exceeded", fault, headers={"Retry-After": str(wait_s)} | dict(headers or {})
    )


def problem_of(error: VtaError) -> Problem:
    """An error of ours as a problem. Which service failed is named in the log alone."""
    if isinstance(error, UpstreamFailed):
        _log.warning("upstream failed: %s", error.message)
        return _problem(HTTPStatus.SERVICE_UNAVAILABLE, error.code, UPSTREAM)
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), None)
    faults = [FieldFault(field=error.field, message=error.message)] if error.field else None
    return _problem(status or HTTPStatus.INTERNAL_SERVER_ERROR, error.code, error.fault, faults)


def problem_response(error: VtaError) -> JSONResponse:
    return _response(problem_of(error))


def install_problem_handlers(app: FastAPI) -> None:
    """Make every failure of the app a problem, unexpected ones without their inside."""

    @app.exception_handler(VtaError)
    async def on_vta_error(request: Request, error: VtaError) -> JSONResponse:
        return _response(problem_of(error), request)

    @app.exception_handler(ProblemRaised)
    async def on_problem(request: Request, raised: ProblemRaised) -> JSONResponse:
        return raised.response(request)

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [
            _not_json(fault)
            if fault["type"] == "json_invalid"
            else FieldFault(
                field=".".join(str(part) for part in fault["loc"][1:]) or "body", message=fault["msg"]
            )
            for fault in error.errors()
        ]
        detail = "; ".join(f"{fault.field}: {fault.message}" for fault in faults)
        fault = Fault("api.request", reasons=detail)
        problem = _problem(HTTPStatus.UNPROCESSABLE_ENTITY, InvalidInput.code, fault, faults)
        return _response(problem, request)

    @app.exception_handler(HTTPException)
    async def on_http_error(request: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        code = _HTTP_CODES.get(status, f"http_{status.value}")
        reason = Fault("api.http", reason=str(error.detail))
        fault = error.fault if isinstance(error, BodyTooLarge) else reason
        response = _response(_problem(status, code, fault), request)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def on_unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.error("unexpected failure of %s %s", request.method, request.url.path, exc_info=error)
        return _response(_problem(HTTPStatus.INTERNAL_SERVER_ERROR, VtaError.code, FAILED), request)


def _not_json(fault: Mapping[str, Any]) -> FieldFault:
    """The fault of a body that is no JSON, with the position of the character from 0."""
    reason = str(fault.get("ctx", {}).get("error", fault["msg"]))
    return FieldFault(field="body", message=f"not JSON: {reason} at character {fault['loc'][-1]}")


def _problem(status: HTTPStatus, code: str, fault: Fault, errors: list[FieldFault] | None = None) -> Problem:
    return Problem(
        type=f"urn:vta:problem:{code}",
        title=status.phrase,
        status=status.value,
        detail=fault.text(),
        code=code,
        fault=fault.code,
        errors=errors,
    )


def _response(problem: Problem, request: Request | None = None) -> JSONResponse:
    """The reply; under the paths of OpenAI's API with the `error` that its clients read."""
    body = problem.model_dump(exclude_none=True)
    if request is not None and request.url.path.endswith(_OPENAI_PATHS):
        field = problem.errors[0].field if problem.errors else None
        body["error"] = {
            "message": problem.detail, "type": problem.code, "code": problem.code, "param": field
        }  # fmt: skip
    headers = {"Retry-After": str(_RETRY_AFTER_S)} if problem.status in (429, 503) else {}
    return JSONResponse(
        body,
        status_code=problem.status,
        headers=headers,
        media_type=_MEDIA_TYPE,
    )


_PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
    "description": "Any text of your choice, best a random UUID: the same request again within 24 hours gets "
    "the same reply and has no second effect.",
}
_OF_EVERY_METHOD = {"429": "Too many requests; Retry-After says when to come back."}
_OF_WRITES = {
    "409": "The first request with this Idempotency-Key is still at work, or its reply was not kept.",
    "422": "The request cannot be used as it is, or its Idempotency-Key came with another one.",
    **_OF_EVERY_METHOD,
}


def document_common(schema: dict[str, Any]) -> dict[str, Any]:
    """Add limits and `Idempotency-Key` to the OpenAPI document under /v1, and the media type of problems."""
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            replies, is_api = operation["responses"], path.startswith("/v1/")
            common = (_OF_WRITES if method == "post" else _OF_EVERY_METHOD) if is_api else {}
            for status, description in common.items():
                replies.setdefault(status, {"description": description, "content": dict(_PROBLEM)})
            bodies = operation.get("requestBody", {}).get("content", {})
            if is_api and method == "post" and "multipart/form-data" not in bodies:
                operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
            for status, reply in replies.items():
                if status >= "400" and "application/json" in reply.get("content", {}):
                    reply["content"][_MEDIA_TYPE] = reply["content"].pop("application/json")
    return schema
