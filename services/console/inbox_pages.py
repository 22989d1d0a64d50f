"""The inbox: what waits for a real TA, what is done with several groups at once, and what was settled."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.background import BackgroundTask

from services.console.forms import action_of
from services.console.pages import page, page_number, whole_number
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.inbox import MOST_AT_ONCE, InboxQuery, Order
from services.use_cases.questions import QuestionService
from services.use_cases.triage import Band
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.types import FaqDraft, FaqId, QuestionState

LONGEST_REASON = 200
LONGEST_NAME = 80
LONGEST_SEARCH = 200
SETTLED = ("publish", "some_ready", "merge", "reject", "reopen", "assign", "reply", "ask_back")
"""What the inbox can say was done."""
AT_ONCE = ("ready", "together", "assign", "reject")
"""What can be done with several groups."""
MOST_READY = 100
"""Groups whose ready answers are published by one form; a page shows fewer."""
VOTED_DOWN = 50
"""Answers with a thumb down that are listed."""
NOBODY = "-"
"""Stands in an address for questions that nobody takes care of."""

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxAddress:
    """The addresses of an inbox as it is searched, filtered and ordered."""

    course: str
    query: InboxQuery

    @property
    def fields(self) -> Mapping[str, str]:
        """The query as the fields of a form, the usual values left out."""
        query = self.query
        found = {
            "search": query.sought,
            "band": query.band or "",
            "assignee": "" if query.assignee is None else query.assignee or NOBODY,
            "order": "" if query.order is Order.MOST_ASKED else query.order,
            "page": "" if query.number == 1 else str(query.number),
        }
        return {name: str(value) for name, value in found.items() if value}

    def at(self, number: int) -> str:
        """Another page of the same."""
        return replace(self, query=replace(self.query, number=number)).with_()

    def of_band(self, band: str) -> str:
        """The same in one band, or in all where none is named."""
        chosen = Band(band) if band else None
        return replace(self, query=replace(self.query, band=chosen, number=1)).with_()

    def with_(self, **more: str) -> str:
        """The address, with further fields."""
        fields = urlencode({**self.fields, **more})
        return f"/console/{self.course}/inbox" + (f"?{fields}" if fields else "")


def query_of(fields: Mapping[str, str]) -> InboxQuery:
    """What the fields of an address or form ask for; what they do not say, or say wrongly, is as usual."""
    band, order, assignee = (fields.get(name, "") for name in ("band", "order", "assignee"))
    return InboxQuery(
        number=whole_number(fields.get("page", "1")),
        sought=fields.get("search", "")[:LONGEST_SEARCH],
        band=Band(band) if band in set(Band) else None,
        assignee=None if not assignee else "" if assignee == NOBODY else assignee[:LONGEST_NAME],
        order=Order(order) if order in set(Order) else Order.MOST_ASKED,
    )


@router.get("/inbox")
async def inbox(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Groups of waiting questions in three bands, and what was voted down."""
    query = query_of(request.query_params)
    shown = await asyncio.to_thread(platform.questions.inbox, who.course, query)
    groups = [group.waiting for group in shown.groups]
    threads = await asyncio.to_thread(platform.questions.threads, who.course.id, groups)
    first = tuple(group[0] for group in groups)
    contexts = await asyncio.to_thread(platform.questions.contexts, who.course.id, first)
    down = await asyncio.to_thread(platform.stores.sessions.voted_down, who.course.id, VOTED_DOWN)
    settled = request.query_params.get("settled", "")
    response = page(
        request,
        "inbox.html",
        who,
        bands={band.value: [each for each in shown.groups if each.band is band] for band in Band},
        counts={band.value: shown.counts.get(band, 0) for band in Band},
        inbox=shown,
        threads=threads,
        contexts=contexts,
        query=query,
        orders=tuple(Order),
        nobody=NOBODY,
        address=InboxAddress(course=who.course.id, query=replace(query, number=shown.number)),
        down=down,
        longest_reason=LONGEST_REASON,
        longest_name=LONGEST_NAME,
        settled=settled if settled in SETTLED else "",
        none_chosen=settled == "none",
    )
    response.background = BackgroundTask(platform.analytics.prepare, who.course.id)
    return response


@router.post("/inbox/selected")
async def settle_selected(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Publish, answer together, decline or assign the chosen groups, as the button says; then this page."""
    form = await read_form(request, who)
    action = action_of(form, AT_ONCE)
    fields = {name: field(form, name) for name in ("search", "band", "assignee", "order", "page")}
    back = InboxAddress(course=who.course.id, query=query_of(fields))
    ids = [id for chosen in form.get("group", ()) for id in chosen.split()][:MOST_AT_ONCE]
    if not ids:
        return RedirectResponse(back.with_(settled="none"), status_code=303)
    match action:
        case "together":
            chosen = urlencode([("q", each) for each in ids])
            return RedirectResponse(f"/console/{who.course.id}/inbox/answer?{chosen}", status_code=303)
        case "ready":
            left = await asyncio.to_thread(_publish_ready, platform.questions, who, form)
            return RedirectResponse(back.with_(settled="some_ready" if left else "publish"), status_code=303)
        case "reject":
            reason = field(form, "reason")[:LONGEST_REASON]
            await asyncio.to_thread(platform.stores.ta_queue.reject, who.course.id, ids, reason=reason)
        case _:
            name = field(form, "name")[:LONGEST_NAME]
            await asyncio.to_thread(platform.questions.assign, who.course.id, ids, name)
    return RedirectResponse(back.with_(settled=action), status_code=303)


def _publish_ready(questions: QuestionService, who: InstructorSession, form: Form) -> int:
    """Publish the ready answers of the chosen groups as they were shown; returns how many groups wait on."""
    left = 0
    for chosen in form["group"][:MOST_READY]:
        ids = chosen.split()
        entry, question, text = (field(form, f"{name}:{ids[0]}") for name in ("entry", "asks", "ready"))
        answer = FaqId(entry) if entry else FaqDraft(question=question, answer=text)
        try:
            questions.answer(who.course.id, ids, answer, editor=who.name)
        except (InvalidInput, Conflict):  # none was ready, or another entry asks the same by now
            left += 1
    return left


@router.get("/inbox/answered")
async def answered(request: Request, platform: Served, who: LoggedIn) -> Response:
    """What was answered, the last first."""
    return await _show_settled(request, platform, who, QuestionState.ANSWERED)


@router.get("/inbox/rejected")
async def rejected(request: Request, platform: Served, who: LoggedIn) -> Response:
    """What was rejected, the last first."""
    return await _show_settled(request, platform, who, QuestionState.REJECTED)


@router.post("/inbox/reopen")
async def reopen(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Let settled questions wait again."""
    form = await read_form(request, who)
    await asyncio.to_thread(platform.stores.ta_queue.reopen, who.course.id, form.get("q", ()))
    return RedirectResponse(f"/console/{who.course.id}/inbox?settled=reopen", status_code=303)


async def _show_settled(
    request: Request, platform: Platform, who: InstructorSession, state: QuestionState
) -> Response:
    shown = await asyncio.to_thread(
        platform.questions.settled, who.course.id, state, number=page_number(request)
    )
    ids = [each.id for each in shown.questions]
    return page(
        request,
        "settled.html",
        who,
        state=state.value,
        questions=shown.questions,
        messages=await asyncio.to_thread(platform.stores.threads.messages, who.course.id, ids),
        total=shown.total,
        number=shown.number,
        last=shown.last,
        search="",
    )
