"""The routes of the LTI 1.3 tool."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response

from knowledge.search.http_client import HttpClient
from services.clock import SystemClock
from services.http.serving import Served, ThreadedRouter, public_address
from services.identity.course_keys import Name
from services.identity.instructor_sessions import Form, field, parse_form, parse_own_form
from services.lti.admin_pages import install_admin_log_in
from services.lti.deep_linking import send_link
from services.lti.launch import ThisTool, receive_launch
from services.lti.login import start_login
from services.lti.pages import refusal_page
from services.lti.platform_services import PlatformServices, ScoreSender
from services.lti.refusals import LaunchRefused
from services.lti.registration import manual_page, receive_registration
from services.lti.tool_key import ToolKey
from services.lti.visits import connect_course, open_console, return_to_course
from services.rendering.templates import static_files
from services.wiring import Platform
from vta.errors import NotFound
from vta.faults import Fault

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

Posted = Annotated[Form, Depends(parse_form)]
"""A form of whatever page, as platforms send them."""
PostedHere = Annotated[Form, Depends(parse_own_form)]
"""A form of a page of this site."""

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
def log_in(request: Request, form: Posted, platform: Served) -> Response:
    return start_login(platform, request, {name: values[-1] for name, values in form.items()})


@router.get("/register")
async def register(request: Request, tool: ThisTool) -> Response:
    root = public_address(tool.platform, request)
    return await receive_registration(tool.platform, tool.outgoing, request, root)


@router.get("/launch")
def explain(request: Request, platform: Served) -> Response:
    """What to enter by hand, for whoever typed or registered the address of launches."""
    return manual_page(request, public_address(platform, request))


@router.post("/launch")
async def launch(request: Request, form: Posted, tool: ThisTool) -> Response:
    return await receive_launch(tool, request, form)


@router.get("/launch/cookie")
def cookie(request: Request, name: str) -> Response:
    """Whether the browser brings a log-in's cookie, which scripts cannot see."""
    return Response(status_code=204 if name in request.cookies else 404)


@router.post("/connect")
def connect(request: Request, form: PostedHere, platform: Served) -> Response:
    return connect_course(platform, request, form)


@router.post("/link")
def link(request: Request, form: PostedHere, tool: ThisTool) -> Response:
    return send_link(tool.platform, request, form, tool.own_key)


@router.post("/console")
def console(request: Request, form: PostedHere, platform: Served) -> Response:
    return open_console(platform, request, field(form, "ticket"))


@router.get("/courses/{course}")
def course_page(request: Request, course: Name, platform: Served) -> Response:
    return return_to_course(platform, request, course)


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    file, kind = static_files("services.lti").get(name), _TYPES.get(PurePosixPath(name).suffix)
    if file is None or kind is None:
        raise NotFound(Fault("lti.no_static_file", name=name))
    return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})


def score_sender(platform: Platform) -> ScoreSender:
    """Sends the scores of one platform's store, beside the requests."""
    stores = platform.stores
    outgoing = HttpClient(private_addresses=platform.settings.lti_private_addresses)
    return ScoreSender(
        scores=stores.lti_scores,
        platforms=stores.lti_platforms,
        services=PlatformServices(outgoing, ToolKey(stores.secrets)),
        clock=SystemClock(),
    )


def install_refusals(app: FastAPI) -> None:
    """Tell whoever is not let in what to do, and the log why."""
    install_admin_log_in(app)

    @app.exception_handler(LaunchRefused)
    async def on_refused(request: Request, refused: LaunchRefused) -> Response:
        _log.warning("LTI: refused at %s: %s", request.url.path, refused.message)
        return refusal_page(request, refused)
