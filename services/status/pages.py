"""The status page, for everyone who is logged in."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi.responses import Response

from services.console.visits import AnybodyVisiting, PageRouter
from services.people.sessions import LogInNeeded, PersonSession, resume_session
from services.status.watch import StatusWatch
from services.web.serving import part_of_app

Status = Annotated[StatusWatch, part_of_app(lambda parts: parts.status)]

router = PageRouter()


@router.get("/-/status")
async def show_status(visit: AnybodyVisiting, status: Status) -> Response:
    """What works now and what does not, for everyone who is logged in, by a key or from an LMS too."""
    session = await resume_session(visit.request, visit.platform)
    if session is None:
        raise LogInNeeded
    who = PersonSession(session=session, person=session.person) if session.person else None
    states = await asyncio.to_thread(status.states)
    return replace(visit, who=who).page("status.html", states=states)
