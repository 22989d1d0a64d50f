"""The inbox: what waits for a real TA, grouped by near-duplicates, and answers that were voted down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.background import BackgroundTask

from services.console.faq_forms import draft_of
from services.console.pages import page, page_number
from services.identity.instructor_sessions import (
    Form,
    InstructorSession,
    field,
    instructor_sessions_of,
    read_form,
)
from services.indexing.sync import sync_index
from services.storage.ta_queue import with_wordings
from services.use_cases.near_duplicates import group_near_duplicates
from services.use_cases.replay import QUESTIONS, Proposal, Replayed, replay
from services.use_cases.triage import Assessment, Band, assess
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import with_negatives
from vta.text import Analyser
from vta.types import Candidate, CourseId, FaqDraft, FaqEntry, FaqId, Source, WaitingQuestion

PAGE_SIZE = 10
"""Groups on a page."""
SHOWN = 300
"""Waiting questions looked through for one page, oldest first, and thumbs down shown."""

SETTLED = ("publish", "merge", "reject")
"""What the inbox can say was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Near-duplicates that wait, and what the course has on the first of them."""

    waiting: tuple[WaitingQuestion, ...]
    assessment: Assessment
    entry: FaqId | None
    """The entry that the draft is the answer of, if it is one's."""


def inbox_pages(platform: Platform) -> APIRouter:
    """The pages of the inbox over one platform."""
    router = APIRouter()
    instructor = Depends(instructor_sessions_of(platform))
    sessions, queue, faq = platform.stores.sessions, platform.stores.ta_queue, platform.stores.faq
    analyser = Analyser()
    last_groups: dict[
        CourseId, tuple[tuple[WaitingQuestion, ...], tuple[tuple[WaitingQuestion, ...], ...]]
    ] = {}

    @router.get("/inbox")
    async def inbox(request: Request, who: InstructorSession = instructor) -> Response:
        """Groups of waiting questions, the oldest first, in three bands, and what was voted down."""
        waiting = await asyncio.to_thread(sessions.waiting_questions, who.course.id, "waiting")
        groups = await asyncio.to_thread(grouped, who.course.id, waiting[:SHOWN])
        last = max(1, -(-len(groups) // PAGE_SIZE))
        number = min(page_number(request), last)
        shown = groups[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        assessed = await asyncio.to_thread(lambda: [_assessed(platform, who, group) for group in shown])
        down = await asyncio.to_thread(sessions.voted_down, who.course.id, 50)
        settled = request.query_params.get("settled", "")
        response = page(
            request,
            "inbox.html",
            who,
            bands={band.value: [each for each in assessed if each.assessment.band is band] for band in Band},
            total=len(waiting),
            number=number,
            last=last,
            down=down,
            beta=thresholds_for(who.course, platform.settings.thresholds).beta,
            settled=settled if settled in SETTLED else "",
        )
        response.background = BackgroundTask(platform.analytics.prepare, who.course.id)
        return response

    @router.get("/inbox/answer")
    async def answer_page(request: Request, who: InstructorSession = instructor) -> Response:
        """One group, with what the course has on it and a form for the answer."""
        waiting = await _chosen(platform, who, request.query_params.getlist("q"))
        return await show_group(request, who, waiting, noted="noted" in request.query_params)

    @router.post("/inbox/answer")
    async def answer(request: Request, who: InstructorSession = instructor) -> Response:
        """Publish a new entry, join one, say that one is wrong, reject or try out, as the button says."""
        form = await read_form(request, who)
        waiting = await _chosen(platform, who, form.get("q", ()))
        try:
            if field(form, "action") == "replay":
                draft = with_wordings(draft_of(form), [each.question for each in waiting])
                replayed = await asyncio.to_thread(
                    replay, platform, who.course.id, Proposal(draft=draft), limit=QUESTIONS
                )
                return await show_group(request, who, waiting, form=form, replayed=replayed)
            await asyncio.to_thread(settle, who, form, waiting)
        except (InvalidInput, Conflict) as fault:
            return await show_group(request, who, waiting, form=form, fault=fault.message)
        home = f"/console/{who.course.id}/inbox"
        if field(form, "action") == "not_this":
            chosen = urlencode([("q", each.id) for each in waiting])
            return RedirectResponse(f"{home}/answer?{chosen}&noted", status_code=303)
        return RedirectResponse(f"{home}?settled={field(form, 'action')}", status_code=303)

    def grouped(
        course_id: CourseId, waiting: tuple[WaitingQuestion, ...]
    ) -> tuple[tuple[WaitingQuestion, ...], ...]:
        """The groups of these questions, made anew only where other questions wait."""
        known = last_groups.get(course_id)
        if known is None or known[0] != waiting:
            groups = group_near_duplicates(waiting, [each.question for each in waiting], analyser)
            known = last_groups[course_id] = (waiting, groups)
        return known[1]

    def settle(who: InstructorSession, form: Form, waiting: Sequence[WaitingQuestion]) -> None:
        ids = [each.id for each in waiting]
        match field(form, "action"):
            case "reject":
                queue.reject(who.course.id, ids, reason=field(form, "reason")[:200])
            case "merge":
                queue.answer(who.course.id, ids, FaqId(field(form, "entry")), editor=who.name)
            case "not_this":
                entry = faq.history(who.course.id, FaqId(field(form, "entry")))[-1]
                draft = with_negatives(entry.draft, [each.question for each in waiting])
                faq.edit(who.course.id, entry.id, draft, editor=who.name, expected=entry.version)
            case _:
                queue.answer(who.course.id, ids, draft_of(form), editor=who.name)
        sync_index(platform.knowledge)

    async def show_group(
        request: Request,
        who: InstructorSession,
        waiting: Sequence[WaitingQuestion],
        *,
        form: Form | None = None,
        fault: str = "",
        noted: bool = False,
        replayed: tuple[Replayed, ...] | None = None,
    ) -> Response:
        question = waiting[0].question if waiting else ""
        found = await asyncio.to_thread(assess, platform, who.course, question)
        text = found.draft.pair.answer if found.draft else ""
        return page(
            request,
            "answer.html",
            who,
            status=409 if fault else 200,
            waiting=waiting,
            candidates=found.candidates,
            beta=thresholds_for(who.course, platform.settings.thresholds).beta,
            entries=await asyncio.to_thread(near_entries, who, found),
            draft=FaqDraft(question=question, answer=text) if form is None else draft_of(form),
            fault=fault,
            noted=noted,
            replayed=replayed,
        )

    def near_entries(who: InstructorSession, found: Assessment) -> list[FaqEntry]:
        """The entries of instructors among what was found."""
        ids = filter(None, (_entry_of(candidate) for candidate in found.candidates))
        return [faq.history(who.course.id, each)[-1] for each in ids]

    return router


async def _chosen(
    platform: Platform, who: InstructorSession, ids: Sequence[str]
) -> tuple[WaitingQuestion, ...]:
    """The waiting questions of these ids; `NotFound` where none of them waits any more."""
    waiting = await asyncio.to_thread(platform.stores.sessions.waiting_questions, who.course.id, "waiting")
    chosen = tuple(each for each in waiting if each.id in set(ids))
    if not chosen:
        raise NotFound("these questions do not wait any more")
    return chosen


def _assessed(platform: Platform, who: InstructorSession, waiting: tuple[WaitingQuestion, ...]) -> Group:
    assessment = assess(platform, who.course, waiting[0].question)
    entry = _entry_of(assessment.draft) if assessment.draft else None
    return Group(waiting=waiting, assessment=assessment, entry=entry)


def _entry_of(candidate: Candidate) -> FaqId | None:
    """The entry that a pair is; None for a pair of a file."""
    pair = candidate.pair
    own = pair.source is Source.FAQ and pair.document is None
    return FaqId(pair.id.removeprefix("faq-")) if own else None
