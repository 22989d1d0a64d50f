"""Common parts of routes: parts of the application, addresses, languages, and files as replies."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.routing import APIRoute

from services.rendering.templates import static_files
from services.web.rate_limits import RateLimits
from services.wiring import AppParts, Platform
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.languages import Language

_HOST = re.compile(r"([\w.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?", re.ASCII)
_LONGEST_HOST = 253
_ETAG = re.compile(r'"(\w{1,16})"', re.ASCII)


class ThreadedRouter(APIRouter):
    """A router whose plain handlers run in the threads of the event loop, so they may wait for the store.

    FastAPI's own threads are not shared fairly between courses.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=_ThreadedRoute, **options)


class _ThreadedRoute(APIRoute):
    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        is_async = inspect.iscoroutinefunction(endpoint)
        super().__init__(path, endpoint if is_async else _in_thread(endpoint), **options)


def _in_thread(handle: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(handle)
    async def handled(**given: Any) -> Any:
        return await asyncio.to_thread(handle, **given)

    del handled.__wrapped__  # else the route would call it as a plain function
    vars(handled)["__signature__"] = inspect.signature(handle, eval_str=True)
    return handled


def part_of_app(choose: Callable[[AppParts], object]) -> Any:
    """The default of a route's parameter: a part of the application that receives the request.

    A service is given as `Annotated[FaqService, part_of_app(lambda parts: parts.platform.faq)]`.
    """

    async def chosen(request: Request) -> Any:
        return choose(request.app.state.parts)

    return Depends(chosen)


Served = Annotated[Platform, part_of_app(lambda parts: parts.platform)]
Limits = Annotated[RateLimits, part_of_app(lambda parts: parts.limits)]


async def _seen(
    if_match: Annotated[str | None, Header(description="The ETag that was read.")] = None,
) -> str | None:
    found = None if if_match is None else _ETAG.fullmatch(if_match.strip())
    if if_match is not None and found is None:
        raise InvalidInput(Fault("api.if_match"), field="If-Match")
    return found and found[1]


Seen = Annotated[str | None, Depends(_seen)]
"""What a write says by `If-Match` that it has seen, without the quotes; None where it says nothing."""


def etag(mark: object) -> dict[str, str]:
    """The header by which a reader later says what they have seen."""
    return {"ETag": f'"{mark}"'}


def public_address(platform: Platform, request: Request) -> str:
    """The address of this server as browsers know it, without a slash at its end; see `own_address`."""
    return platform.settings.public_url or own_address(request)


def own_address(request: Request) -> str:
    """The address that a request names, which must be this machine's: what it names gets into links.

    `Conflict` for any other, since anybody who sends requests may name one.
    """
    host = request.headers.get("host", "")
    found = _HOST.fullmatch(host)
    name = found[1].strip("[]").lower() if found else ""
    here = str((request.scope.get("server") or ("",))[0]).removeprefix("::ffff:")
    if not name or not (name in ("localhost", here) or _is_loopback(name)):
        raise Conflict(Fault("setting.public_url_needed", host=host[:_LONGEST_HOST]))
    return str(request.base_url).rstrip("/")


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


PICTURE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
}
"""A picture may load nothing and run nothing."""


_STATIC_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def static_file(package: str, name: str, missing: Fault) -> Response:
    """A script, style or picture of a package; `NotFound` with the fault where there is none of the name."""
    file, kind = static_files(package).get(name), _STATIC_TYPES.get(PurePosixPath(name).suffix)
    if file is None or kind is None:
        raise NotFound(missing)
    return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})


def csv_file(name: str, text: str) -> Response:
    """A table as a file to save under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, media_type="text/csv", headers=headers)


def browser_language(request: Request) -> Language:
    return Language.ZH if request.headers.get("accept-language", "").startswith("zh") else Language.EN
