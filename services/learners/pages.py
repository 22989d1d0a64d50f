"""The conversation log: what students asked, and one conversation with what became of it."""

from __future__ import annotations

from fastapi.responses import RedirectResponse, Response, StreamingResponse
from pydantic import TypeAdapter

from services.analytics.pages import days_of, log_address
from services.console.forms import read_fields
from services.console.visits import Visiting
from services.learners.conversations import list_conversations, open_conversation
from services.learners.research import NDJSON
from services.learners.service import require_study
from services.web.serving import ThreadedRouter
from vta.analytics.report import SMALLEST
from vta.analytics.selection import QuestionOutcome, Selection
from vta.types.courses import TurnId

PAGE_SIZE = 20
"""Conversations on a page."""
LONGEST = 4000
"""Characters of a text in an address; a whole question may be one."""
_SHOWN = ("from", "to", "outcome", "words")
"""The fields in the form of the log."""
_SELECTION = TypeAdapter(Selection)

router = ThreadedRouter()
research_router = ThreadedRouter()


@research_router.get("/analytics/research")
def research_turns(visit: Visiting) -> Response:
    """All turns that were given to the study, as a file."""
    require_study(visit.platform.stores, visit.course_id)
    name = f'attachment; filename="{visit.course_id}-research.ndjson"'
    pages = visit.platform.stores.research.pages(visit.course_id)
    return StreamingResponse(pages, media_type=NDJSON, headers={"Content-Disposition": name})


@router.get("/conversations")
def conversations(visit: Visiting) -> Response:
    """The conversations of some days, those with the latest questions first, by page."""
    days, chosen = days_of(visit, visit.query), read_fields(_SELECTION, visit.query, longest=LONGEST)
    address = log_address(visit, days, chosen)
    log = list_conversations(visit.platform.stores, visit.course_id, days, chosen)
    shown, places = visit.listed(log.conversations, PAGE_SIZE)
    return visit.page(
        "conversations.html",
        log=log,
        shown=shown,
        **places,
        address=address,
        days=days,
        chosen=chosen,
        fixed={name: value for name, value in address.fields.items() if name not in _SHOWN},
        outcomes=tuple(QuestionOutcome),
        smallest=SMALLEST,
    )


@router.get("/conversations/{turn}")
def conversation(visit: Visiting, turn: str) -> Response:
    """One conversation, opened at a turn."""
    days = days_of(visit, visit.query)
    opened = open_conversation(visit.platform.stores, visit.course_id, days, TurnId(turn))
    ids = [each.question_id for each in opened.turns if each.question_id]
    return visit.page(
        "conversation.html",
        opened=opened,
        address=log_address(visit, days, read_fields(_SELECTION, visit.query, longest=LONGEST)),
        days=days,
        messages=visit.platform.stores.threads.messages(visit.course_id, ids),
        handed_on="handed-on" in visit.query,
    )


@router.post("/conversations/{turn}/hand-on")
def hand_on(visit: Visiting, turn: str) -> Response:
    """Put a question in the inbox, as if its student had handed it on."""
    fields = {name: visit.field(name) for name in ("from", "to")}
    days = days_of(visit, fields)
    open_conversation(visit.platform.stores, visit.course_id, days, TurnId(turn))
    visit.platform.stores.asked.ask_ta(visit.course_id, TurnId(turn))
    address = log_address(visit, days).of(turn, anchor="turn-", **{"handed-on": "yes"})
    return RedirectResponse(address, status_code=303)
