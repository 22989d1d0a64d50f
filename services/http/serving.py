"""What the routes of an application serve from."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, FastAPI, Request

from services.wiring import Platform


def serve_from(app: FastAPI, platform: Platform) -> None:
    """Let the routes of an application find their platform."""
    app.state.platform = platform


async def platform_of(request: Request) -> Platform:
    """The platform of the application that a request came to."""
    platform: Platform = request.app.state.platform
    return platform


Served = Annotated[Platform, Depends(platform_of)]
"""The platform, as a parameter of a route."""
