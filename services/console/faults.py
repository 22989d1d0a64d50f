"""Problems in the console as pages, in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import cast
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from services.console.pages import page, reader_language
from services.people.sessions import ConsoleUser, LogInNeeded, PersonSession, to_log_in
from services.web.problems import ProblemRaised
from vta.errors import VtaError

_KINDS = {
    400: "invalid",
    403: "refused",
    404: "not_found",
    405: "not_found",
    409: "conflict",
    413: "too_large",
    422: "invalid",
}
_OWN_KINDS = {"person.link_gone": "link_gone", "setting.public_url_needed": "failed"}
"""Faults with another page than that of their status."""


_OF_FORMS = {"console.form_expired", "console.other_site", "console.not_our_form"}
"""Refusals of a form; all others are of someone who lacks a right."""


def install_console_faults(app: FastAPI) -> None:
    """Send browsers without a session to the log-in page, and show every problem in the console as a page."""

    @app.exception_handler(LogInNeeded)
    async def on_log_in_needed(request: Request, _: LogInNeeded) -> Response:
        return to_log_in(request)

    for kind in (VtaError, ProblemRaised, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _as_page(cast(Handler, app.exception_handlers[kind])))


Handler = Callable[[Request, Exception], Awaitable[Response]]


def _as_page(answer: Handler) -> Handler:
    """The API's handler, which answers a browser with a page, and a script with what a page would say."""

    async def handle(request: Request, error: Exception) -> Response:
        problem = await answer(request, error)
        if not request.url.path.startswith("/console"):
            return problem
        if "text/html" in request.headers.get("accept", ""):
            return _page(request, error, problem.status_code)
        return _in_words(request, error, problem)

    return handle


def _home(instructor: ConsoleUser | None, course: list[str]) -> str:
    if isinstance(instructor, PersonSession):
        return "/console/-/courses"
    return f"/console/{quote(course[0])}/inbox" if course and course[0] != "-" else "/console/log-in"


def _in_words(request: Request, error: Exception, problem: Response) -> Response:
    if isinstance(error, VtaError | ProblemRaised):
        language = reader_language(request, getattr(request.state, "instructor", None))
        body = json.loads(bytes(problem.body)) | {"detail": error.fault.page_text(language)}
        headers = {name: value for name, value in problem.headers.items() if name != "content-length"}
        return JSONResponse(body, problem.status_code, headers)
    return problem


def _page(request: Request, error: Exception, status: int) -> Response:
    instructor: ConsoleUser | None = getattr(request.state, "instructor", None)
    language = reader_language(request, instructor)
    fault = error.fault if isinstance(error, VtaError | ProblemRaised) else None
    kind = _KINDS.get(status, "failed")
    if isinstance(error, ProblemRaised) and status == 403 and error.fault.code not in _OF_FORMS:
        kind = "forbidden"
    course = request.url.path.split("/")[2:3]
    return page(
        request,
        "fault.html",
        instructor,
        status=status,
        kind=_OWN_KINDS.get(fault.code if fault else "", kind),
        detail=fault.page_text(language) if fault else "",
        detail_language=language,
        home=_home(instructor, course),
    )
