"""The status page, for everyone who is logged in."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import Response

from services.console.visits import AnybodyVisiting, PageRouter
from services.people.session_store import ConsoleSession
from services.people.sessions import LogInNeeded, PersonSession, resume_session
from services.status.watch import StatusWatch
from services.web.serving import Served, part_of_app

Status = Annotated[StatusWatch, part_of_app(lambda parts: parts.status)]

router = PageRouter()


async def require_any_log_in(request: Request, platform: Served) -> ConsoleSession:
    """A dependency: the session of whoever is logged in, by a key or from an LMS too; else `LogInNeeded`."""
    session = await resume_session(request, platform)
    if session is None:
        raise LogInNeeded
    return session


@router.get("/-/status")
async def show_status(
    visit: AnybodyVisiting, status: Status, session: Annotated[ConsoleSession, Depends(require_any_log_in)]
) -> Response:
    """What works now and what does not."""
    who = PersonSession(session=session, person=session.person) if session.person else None
    states = await asyncio.to_thread(status.states)
    return replace(visit, who=who).page("status.html", states=states)
