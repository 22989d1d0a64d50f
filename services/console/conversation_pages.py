"""The conversation log in the console: what students asked, and one conversation with what became of it."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.days import day_of
from services.console.log_addresses import LogAddress, selection_of
from services.console.pages import page, page_number
from services.http.serving import Served
from services.identity.instructor_sessions import InstructorSession, LoggedIn, field, read_form
from services.use_cases.conversations import list_conversations, open_conversation
from services.wiring import Platform
from vta.analytics.cohorts import SMALLEST
from vta.analytics.selection import Outcome
from vta.types import TurnId

router = APIRouter()


@router.get("/conversations")
async def conversations(request: Request, platform: Served, who: LoggedIn) -> Response:
    """The conversations of some days, those with the latest questions first, by page."""
    address = _address(request, platform, who)
    log = await asyncio.to_thread(
        list_conversations,
        platform.stores,
        who.course.id,
        address.days,
        address.selection,
        number=page_number(request),
    )
    return page(
        request,
        "conversations.html",
        who,
        log=log,
        address=address,
        outcomes=tuple(Outcome),
        smallest=SMALLEST,
    )


@router.get("/conversations/{turn}")
async def conversation(request: Request, turn: str, platform: Served, who: LoggedIn) -> Response:
    """One conversation, opened at a turn."""
    address = _address(request, platform, who)
    opened = await asyncio.to_thread(
        open_conversation, platform.stores, who.course.id, address.days, TurnId(turn)
    )
    ids = [each.question_id for each in opened.turns if each.question_id]
    return page(
        request,
        "conversation.html",
        who,
        opened=opened,
        address=address,
        messages=await asyncio.to_thread(platform.stores.threads.messages, who.course.id, ids),
        handed_on="handed-on" in request.query_params,
    )


@router.post("/conversations/{turn}/hand-on")
async def hand_on(request: Request, turn: str, platform: Served, who: LoggedIn) -> Response:
    """Put a question in the inbox, as if its student had handed it on."""
    form = await read_form(request, who)
    address = LogAddress(
        course=who.course.id,
        days=platform.analytics.days(day_of(field(form, "from"), "from"), day_of(field(form, "to"), "to")),
    )
    await asyncio.to_thread(open_conversation, platform.stores, who.course.id, address.days, TurnId(turn))
    await asyncio.to_thread(platform.stores.sessions.ask_ta, who.course.id, TurnId(turn))
    return RedirectResponse(address.turn(turn, **{"handed-on": ""}), status_code=303)


def _address(request: Request, platform: Platform, who: InstructorSession) -> LogAddress:
    asked = request.query_params
    days = platform.analytics.days(day_of(asked.get("from"), "from"), day_of(asked.get("to"), "to"))
    selection = selection_of(asked)
    return LogAddress(course=who.course.id, days=days, selection=selection)
