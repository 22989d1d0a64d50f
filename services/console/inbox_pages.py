"""The inbox: what waits for a real TA, grouped by near-duplicates, and answers that were voted down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from services.console.access import Form, Visitor, field, read_form, visitors_of
from services.console.faq_forms import draft_of
from services.console.pages import page
from services.looking_up import look_up
from services.near_duplicates import group_near_duplicates
from services.publishing import catch_up
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import Conflict, InvalidInput, NotFound
from vta.text import Analyser
from vta.types import Candidate, FaqDraft, FaqEntry, FaqId, Source, WaitingQuestion

SHOWN = 300
"""Waiting questions looked through for one page, oldest first, and thumbs down shown."""
_FOUND = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What the course has on a question: passages, entries near it, and a draft of human-verified text."""

    candidates: tuple[Candidate, ...]
    entries: tuple[FaqEntry, ...]
    draft: str


def inbox_pages(platform: Platform) -> APIRouter:
    """The pages of the inbox over one platform."""
    router = APIRouter()
    visitor = Depends(visitors_of(platform))
    sessions, queue = platform.stores.sessions, platform.stores.ta_queue
    analyser = Analyser()

    @router.get("/inbox")
    async def inbox(request: Request, who: Visitor = visitor) -> Response:
        """Groups of waiting questions, the oldest first, and what was voted down."""
        waiting = await asyncio.to_thread(sessions.waiting_questions, who.course.id, "waiting")
        groups = await asyncio.to_thread(
            group_near_duplicates, waiting[:SHOWN], [w.question for w in waiting[:SHOWN]], analyser
        )
        down = await asyncio.to_thread(sessions.voted_down, who.course.id, 50)
        return page(request, "inbox.html", who, groups=groups, total=len(waiting), down=down)

    @router.get("/inbox/answer")
    async def answer_page(request: Request, who: Visitor = visitor) -> Response:
        """One group, with what the course has on it and a form for the answer."""
        waiting = await _chosen(platform, who, request.query_params.getlist("q"))
        return await show_group(request, who, waiting)

    @router.post("/inbox/answer")
    async def answer(request: Request, who: Visitor = visitor) -> Response:
        """Publish a new entry, join one, or reject, as the button pressed says."""
        form = await read_form(request, who)
        waiting = await _chosen(platform, who, form.get("q", ()))
        try:
            await asyncio.to_thread(settle, who, form, waiting)
        except (InvalidInput, Conflict) as fault:
            return await show_group(request, who, waiting, form=form, fault=fault.message)
        return RedirectResponse(f"/console/{who.course.id}/inbox", status_code=303)

    def settle(who: Visitor, form: Form, waiting: Sequence[WaitingQuestion]) -> None:
        ids = [each.id for each in waiting]
        match field(form, "action"):
            case "reject":
                queue.reject(who.course.id, ids, reason=field(form, "reason")[:200])
            case "merge":
                queue.answer(who.course.id, ids, FaqId(field(form, "entry")), editor=who.name)
            case _:
                queue.answer(who.course.id, ids, draft_of(form), editor=who.name)
        catch_up(platform.knowledge)

    async def show_group(
        request: Request,
        who: Visitor,
        waiting: Sequence[WaitingQuestion],
        *,
        form: Form | None = None,
        fault: str = "",
    ) -> Response:
        question = waiting[0].question if waiting else ""
        support = await asyncio.to_thread(_support, platform, who, question)
        draft = draft_of(form) if form is not None else FaqDraft(question=question, answer=support.draft)
        status = 409 if fault else 200
        return page(
            request,
            "answer.html",
            who,
            status=status,
            waiting=waiting,
            support=support,
            draft=draft,
            fault=fault,
        )

    return router


async def _chosen(platform: Platform, who: Visitor, ids: Sequence[str]) -> tuple[WaitingQuestion, ...]:
    """The waiting questions of these ids; `NotFound` where none of them waits any more."""
    waiting = await asyncio.to_thread(platform.stores.sessions.waiting_questions, who.course.id, "waiting")
    chosen = tuple(each for each in waiting if each.id in set(ids))
    if not chosen:
        raise NotFound("these questions do not wait any more")
    return chosen


def _support(platform: Platform, who: Visitor, question: str) -> Support:
    found = look_up(platform, who.course, question, top=_FOUND).ranking.candidates
    entries = {f"faq-{entry.id}": entry for entry in platform.stores.faq.entries(who.course.id)}
    near = tuple(entries[c.pair.id] for c in found if c.pair.id in entries)
    verified = next((c for c in found if c.pair.source is not Source.SEARCH), None)
    beta = thresholds_for(who.course, platform.settings.thresholds).beta
    supported = verified is not None and verified.score >= beta / 2
    return Support(
        candidates=found, entries=near, draft=verified.pair.answer if verified and supported else ""
    )
