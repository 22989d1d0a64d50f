"""Every error of the API as one RFC 9457 problem. The only module that knows HTTP codes of errors."""

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

_STATUS: dict[type[VtaError], HTTPStatus] = {
    InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotFound: HTTPStatus.NOT_FOUND,
    NotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    UpstreamFailed: HTTPStatus.SERVICE_UNAVAILABLE,
    Conflict: HTTPStatus.CONFLICT,
    LimitExceeded: HTTPStatus.TOO_MANY_REQUESTS,
}
_HTTP_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}
"""Codes of what the framework refuses; the names in `HTTPStatus` change with Python's version."""
_RETRY_AFTER_S = 5
_MEDIA_TYPE = "application/problem+json"

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
    errors: list[FieldFault] | None = Field(default=None)
    current: dict[str, Any] | None = Field(
        default=None, description="With 412: what is there now, for whoever was slower to look at."
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
    413: "The body is larger than this server reads.",
}


def problems(
    told: Mapping[int, str] | None = None, *, bodies: bool = True
) -> dict[int | str, dict[str, Any]]:
    """What a router tells of its problems in the OpenAPI document: the usual ones, and its own in words."""
    words = _OF_ALL | (_OF_BODIES if bodies else {}) | dict(told or {})
    return {status: {"model": Problem, "description": words[status]} for status in sorted(words)}


class ProblemRaised(Exception):
    """A problem of HTTP itself, such as a missing key or an old ETag, which the inside knows nothing of."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        current: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.problem = _problem(HTTPStatus(status), code, detail)
        self.problem.current = current
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """The reply that tells of it."""
        response = _response(self.problem)
        response.headers.update(self.headers)
        return response


def problem_of(error: VtaError) -> Problem:
    """The problem that tells of an error of ours."""
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), None)
    faults = [FieldFault(field=error.field, message=error.message)] if error.field else None
    return _problem(status or HTTPStatus.INTERNAL_SERVER_ERROR, error.code, error.message, faults)


def problem_response(error: VtaError) -> JSONResponse:
    """The reply that tells of an error of ours."""
    return _response(problem_of(error))


def install_problem_handlers(app: FastAPI) -> None:
    """Make every failure of the app a problem, unexpected ones without their inside."""

    @app.exception_handler(VtaError)
    async def on_vta_error(_: Request, error: VtaError) -> JSONResponse:
        return problem_response(error)

    @app.exception_handler(ProblemRaised)
    async def on_problem(_: Request, raised: ProblemRaised) -> JSONResponse:
        return raised.response()

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(_: Request, error: RequestValidationError) -> JSONResponse:
        faults = [
            FieldFault(field=".".join(str(part) for part in fault["loc"][1:]) or "body", message=fault["msg"])
            for fault in error.errors()
        ]
        detail = "; ".join(f"{fault.field}: {fault.message}" for fault in faults)
        return _response(_problem(HTTPStatus.UNPROCESSABLE_ENTITY, InvalidInput.code, detail, faults))

    @app.exception_handler(HTTPException)
    async def on_http_error(_: Request, error: HTTPException) -> JSONResponse:
        status = HTTPStatus(error.status_code)
        code = _HTTP_CODES.get(status, f"http_{status.value}")
        response = _response(_problem(status, code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def on_unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.error("unexpected failure of %s %s", request.method, request.url.path, exc_info=error)
        detail = "something failed on our side; it was logged"
        return _response(_problem(HTTPStatus.INTERNAL_SERVER_ERROR, VtaError.code, detail))


def document_problems(schema: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document with problems under their own media type, which FastAPI cannot say by itself."""
    for operation in (operation for path in schema["paths"].values() for operation in path.values()):
        for status, response in operation["responses"].items():
            if status >= "400" and "application/json" in response.get("content", {}):
                response["content"][_MEDIA_TYPE] = response["content"].pop("application/json")
    return schema


def _problem(status: HTTPStatus, code: str, detail: str, errors: list[FieldFault] | None = None) -> Problem:
    return Problem(
        type=f"urn:vta:problem:{code}",
        title=status.phrase,
        status=status.value,
        detail=detail,
        code=code,
        errors=errors,
    )


def _response(problem: Problem) -> JSONResponse:
    headers = {"Retry-After": str(_RETRY_AFTER_S)} if problem.status in (429, 503) else {}
    return JSONResponse(
        problem.model_dump(exclude_none=True),
        status_code=problem.status,
        headers=headers,
        media_type=_MEDIA_TYPE,
    )
