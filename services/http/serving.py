"""What the routes of an application serve from."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, FastAPI, Request

from services.http.rate_limits import RateLimits
from services.wiring import Platform


def serve_from(app: FastAPI, platform: Platform, limits: RateLimits) -> None:
    """Let the routes of an application find their platform, and the limits that it is behind."""
    app.state.platform = platform
    app.state.limits = limits


async def platform_of(request: Request) -> Platform:
    """The platform of the application that a request came to."""
    platform: Platform = request.app.state.platform
    return platform


def limits_of_app(request: Request) -> RateLimits:
    """The limits of the application that a request came to."""
    limits: RateLimits = request.app.state.limits
    return limits


def public_address(platform: Platform, request: Request) -> str:
    """The address of this server as browsers know it, without a slash at its end."""
    return platform.settings.public_url or str(request.base_url).rstrip("/")


Served = Annotated[Platform, Depends(platform_of)]
"""The platform, as a parameter of a route."""
