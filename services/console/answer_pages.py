"""One group of the inbox: what the course has on it, and the ways to settle it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.form_faults import FormFault, fault_of
from services.console.forms import action_of, draft_of
from services.console.inbox_pages import LONGEST_NAME, LONGEST_REASON
from services.console.pages import as_sentence, page
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.storage.ta_queue import LONGEST_MESSAGE
from services.use_cases.inbox import InboxQuery
from services.use_cases.questions import QuestionReview, QuestionService
from services.use_cases.replay import QUESTIONS, Proposal, Replayed, replay
from services.use_cases.triage import Band
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.faq import with_wordings
from vta.types import FaqDraft, FaqId

ACTIONS = (
    "publish",
    "publish_next",
    "merge",
    "not_this",
    "reject",
    "replay",
    "note",
    "assign",
    "reply",
    "ask_back",
)
STAYING = ("not_this", "note", "assign")
"""After these the questions still wait, and their page is shown again."""

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage:
    """What the page of a group shows beside the group itself; `done` is what was done before."""

    draft: FaqDraft
    fault: FormFault | None = None
    done: str = ""
    replayed: tuple[Replayed, ...] | None = None


@router.get("/inbox/answer")
async def answer_page(request: Request, platform: Served, who: LoggedIn) -> Response:
    """One group, with what the course has on it and a form for the answer."""
    ids = request.query_params.getlist("q")
    review = await asyncio.to_thread(platform.questions.review, who.course, ids)
    done = request.query_params.get("done", "")
    shown = AnswerPage(draft=_offered(review), done=done if done in (*STAYING, "publish_next") else "")
    return _show(platform, request, who, review, shown)


@router.post("/inbox/answer")
async def answer(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Settle the group, write about it or try an answer out, as the button says."""
    form = await read_form(request, who)
    action, draft, ids = action_of(form, ACTIONS), draft_of(form), form.get("q", ())
    review = await asyncio.to_thread(platform.questions.review, who.course, ids)
    try:
        if action == "replay":
            replayed = await _replay(platform, who, draft, review)
            return _show(platform, request, who, review, AnswerPage(draft=draft, replayed=replayed))
        chosen = [each.id for each in review.waiting]
        await asyncio.to_thread(_settle, platform, who, form, chosen)
    except (InvalidInput, Conflict) as error:
        fault = await asyncio.to_thread(fault_of, error, platform.faq, who.course.id)
        return _show(platform, request, who, review, AnswerPage(draft=draft, fault=fault))
    home = f"/console/{who.course.id}/inbox"
    if action in STAYING:
        again = urlencode([*(("q", each) for each in chosen), ("done", action)])
        return RedirectResponse(f"{home}/answer?{again}", status_code=303)
    if action == "publish_next":
        following = await asyncio.to_thread(_next_for_a_ta, platform.questions, who)
        if following:
            again = urlencode([*(("q", each) for each in following), ("done", action)])
            return RedirectResponse(f"{home}/answer?{again}", status_code=303)
        action = "publish"
    return RedirectResponse(f"{home}?settled={action}", status_code=303)


def _next_for_a_ta(questions: QuestionService, who: InstructorSession) -> Sequence[str]:
    """The questions of the first group that waits for an answer; none where nothing is left."""
    shown = questions.inbox(who.course, InboxQuery(band=Band.HOLD, size=1))
    return [each.id for group in shown.groups for each in group.at_once]


async def _replay(
    platform: Platform, who: InstructorSession, draft: FaqDraft, review: QuestionReview
) -> tuple[Replayed, ...]:
    proposal = Proposal(draft=with_wordings(draft, [each.asks for each in review.waiting]))
    return await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)


def _settle(platform: Platform, who: InstructorSession, form: Form, ids: Sequence[str]) -> None:
    course_id, entry = who.course.id, FaqId(field(form, "entry"))
    questions, queue, threads = platform.questions, platform.stores.ta_queue, platform.stores.threads
    match field(form, "action"):
        case "publish" | "publish_next":
            questions.answer(course_id, ids, draft_of(form), editor=who.name)
        case "merge":
            questions.answer(course_id, ids, entry, editor=who.name)
        case "not_this":
            questions.separate(course_id, ids, entry, editor=who.name)
        case "reject":
            queue.reject(course_id, ids, reason=field(form, "reason")[:LONGEST_REASON])
        case "reply" | "ask_back" as action:
            text, asks_back = field(form, "private"), action == "ask_back"
            threads.reply(course_id, ids, text, author=who.name, asks_back=asks_back)
        case "note":
            threads.note(course_id, ids, field(form, "note"), author=who.name)
        case "assign":
            questions.assign(course_id, ids, field(form, "name")[:LONGEST_NAME])
        case action:
            raise AssertionError(f"{action!r} settles nothing")


def _offered(review: QuestionReview) -> FaqDraft:
    """What the form holds at first."""
    return FaqDraft(question=as_sentence(review.waiting[0].asks), answer=review.offered)


def _show(
    platform: Platform, request: Request, who: InstructorSession, review: QuestionReview, shown: AnswerPage
) -> Response:
    return page(
        request,
        "answer.html",
        who,
        status=shown.fault.status if shown.fault else 200,
        waiting=review.waiting,
        messages=review.messages,
        contexts=review.contexts,
        candidates=review.assessment.candidates if review.assessment else (),
        entries=review.entries,
        draft=shown.draft,
        is_text_of_the_course=bool(review.offered) and shown.draft.answer.strip() == review.offered.strip(),
        fault=shown.fault,
        done=shown.done,
        replayed=shown.replayed,
        longest_reason=LONGEST_REASON,
        longest_name=LONGEST_NAME,
        longest_message=LONGEST_MESSAGE,
    )
