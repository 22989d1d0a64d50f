"""The inbox: what waits for a real TA, what was settled, and answers that were voted down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.background import BackgroundTask

from services.console.form_faults import FormFault, fault_of
from services.console.forms import action_of, draft_of
from services.console.pages import page, page_number
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.questions import QuestionReview, QuestionService
from services.use_cases.replay import QUESTIONS, Proposal, Replayed, replay
from services.use_cases.triage import Band
from services.wiring import Platform
from vta.dialogue.routing import thresholds_for
from vta.errors import Conflict, InvalidInput
from vta.faq import with_wordings
from vta.types import FaqDraft, FaqId, QuestionState

LONGEST_REASON = 200
SETTLED = ("publish", "merge", "reject", "reopen")
"""What the inbox can say was done."""
ACTIONS = ("publish", "merge", "not_this", "reject", "replay")

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage:
    """What the page of a group shows beside the group itself."""

    draft: FaqDraft
    fault: FormFault | None = None
    noted: bool = False
    replayed: tuple[Replayed, ...] | None = None


@router.get("/inbox")
async def inbox(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Groups of waiting questions in three bands, the most asked first, and what was voted down."""
    sought = request.query_params.get("search", "")[:200]
    shown = await asyncio.to_thread(
        platform.questions.inbox, who.course, number=page_number(request), sought=sought
    )
    down = await asyncio.to_thread(platform.questions.voted_down, who.course.id)
    settled = request.query_params.get("settled", "")
    response = page(
        request,
        "inbox.html",
        who,
        bands={band.value: [each for each in shown.groups if each.band is band] for band in Band},
        counts={band.value: shown.counts.get(band, 0) for band in Band},
        total=shown.waiting,
        unassessed=shown.unassessed,
        search=sought,
        number=shown.number,
        last=shown.last,
        down=down,
        beta=thresholds_for(who.course, platform.settings.thresholds).beta,
        settled=settled if settled in SETTLED else "",
    )
    response.background = BackgroundTask(platform.analytics.prepare, who.course.id)
    return response


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
    await asyncio.to_thread(platform.questions.reopen, who.course.id, form.get("q", ()))
    return RedirectResponse(f"/console/{who.course.id}/inbox?settled=reopen", status_code=303)


@router.get("/inbox/answer")
async def answer_page(request: Request, platform: Served, who: LoggedIn) -> Response:
    """One group, with what the course has on it and a form for the answer."""
    ids = request.query_params.getlist("q")
    review = await asyncio.to_thread(platform.questions.review, who.course, ids)
    draft = FaqDraft(question=review.waiting[0].question, answer=review.offered)
    shown = AnswerPage(draft=draft, noted="noted" in request.query_params)
    return _show_group(request, platform, who, review, shown)


@router.post("/inbox/answer")
async def answer(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Publish a new entry, join one, say that one is wrong, reject or try out, as the button says."""
    form = await read_form(request, who)
    action, draft, ids = action_of(form, ACTIONS), draft_of(form), form.get("q", ())
    review = await asyncio.to_thread(platform.questions.review, who.course, ids)
    try:
        if action == "replay":
            proposal = Proposal(draft=with_wordings(draft, [each.question for each in review.waiting]))
            replayed = await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)
            return _show_group(request, platform, who, review, AnswerPage(draft=draft, replayed=replayed))
        chosen = [each.id for each in review.waiting]
        await asyncio.to_thread(_settle, platform.questions, who, form, chosen)
    except (InvalidInput, Conflict) as error:
        fault = await asyncio.to_thread(fault_of, error, platform.faq, who.course.id)
        return _show_group(request, platform, who, review, AnswerPage(draft=draft, fault=fault))
    home = f"/console/{who.course.id}/inbox"
    if action == "not_this":
        return RedirectResponse(
            f"{home}/answer?{urlencode([('q', each) for each in chosen])}&noted", status_code=303
        )
    return RedirectResponse(f"{home}?settled={action}", status_code=303)


def _settle(questions: QuestionService, who: InstructorSession, form: Form, ids: Sequence[str]) -> None:
    course_id, entry = who.course.id, FaqId(field(form, "entry"))
    match field(form, "action"):
        case "publish":
            questions.answer(course_id, ids, draft_of(form), editor=who.name)
        case "merge":
            questions.answer(course_id, ids, entry, editor=who.name)
        case "not_this":
            questions.separate(course_id, ids, entry, editor=who.name)
        case "reject":
            questions.reject(course_id, ids, reason=field(form, "reason")[:LONGEST_REASON])
        case action:
            raise AssertionError(f"{action!r} settles nothing")


def _show_group(
    request: Request,
    platform: Platform,
    who: InstructorSession,
    review: QuestionReview,
    shown: AnswerPage,
) -> Response:
    return page(
        request,
        "answer.html",
        who,
        status=shown.fault.status if shown.fault else 200,
        waiting=review.waiting,
        candidates=review.assessment.candidates if review.assessment else (),
        beta=thresholds_for(who.course, platform.settings.thresholds).beta,
        entries=review.entries,
        draft=shown.draft,
        is_text_of_the_course=bool(review.offered) and shown.draft.answer.strip() == review.offered.strip(),
        fault=shown.fault,
        noted=shown.noted,
        replayed=shown.replayed,
        longest_reason=LONGEST_REASON,
    )


async def _show_settled(
    request: Request, platform: Platform, who: InstructorSession, state: QuestionState
) -> Response:
    shown = await asyncio.to_thread(
        platform.questions.settled, who.course.id, state, number=page_number(request)
    )
    return page(
        request,
        "settled.html",
        who,
        state=state.value,
        questions=shown.questions,
        total=shown.total,
        number=shown.number,
        last=shown.last,
        search="",
    )
