"""The routes of the LTI 1.3 tool."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from services.lti.deep_linking import send_link
from services.lti.launch import receive_launch
from services.lti.login import start_login
from services.lti.pages import refusal_page
from services.lti.refusals import LaunchRefused
from services.lti.registration import manual_page, receive_registration
from services.lti.tool import ThisTool
from services.lti.visits import connect_course, open_console, return_to_course
from services.people.sessions import AnyForm
from services.web.serving import Served, ThreadedRouter, public_address, static_file
from vta.faults import Fault

_log = logging.getLogger(__name__)


router = ThreadedRouter(prefix="/lti", include_in_schema=False)


@router.get("/jwks")
def jwks(tool: ThisTool) -> Response:
    """The tool's public keys, by which platforms verify what it sends."""
    return JSONResponse(tool.own_key.public_keys(), headers={"Cache-Control": "public, max-age=3600"})


@router.get("/login")
def log_in_by_link(request: Request, platform: Served) -> Response:
    return start_login(platform, request, request.query_params)


@router.post("/login")
def log_in(request: Request, form: AnyForm, platform: Served) -> Response:
    return start_login(platform, request, {name: values[-1] for name, values in form.items()})


@router.get("/launch")
def explain(request: Request, platform: Served) -> Response:
    """The values to enter by hand, at the address of launches."""
    return manual_page(request, public_address(platform, request))


@router.get("/launch/cookie")
def cookie(request: Request, name: str) -> Response:
    """204 if the browser sends a log-in's cookie, which scripts cannot see; else 404."""
    return Response(status_code=204 if name in request.cookies else 404)


for method, path, handle in (
    ("GET", "/register", receive_registration),
    ("POST", "/launch", receive_launch),
    ("POST", "/connect", connect_course),
    ("POST", "/link", send_link),
    ("POST", "/console", open_console),
    ("GET", "/courses/{course}", return_to_course),
):
    router.add_api_route(path, handle, methods=[method])


@router.get("/static/{name}")
def load(name: str) -> Response:
    return static_file("services.lti", name, Fault("lti.no_static_file", name=name))


def install_refusals(app: FastAPI) -> None:
    """Show the page of a refusal, and log its cause."""

    @app.exception_handler(LaunchRefused)
    async def on_refused(request: Request, refused: LaunchRefused) -> Response:
        _log.warning("LTI: refused at %s: %s", request.url.path, refused.message)
        return refusal_page(request, refused)
