"""The questions handed to a real TA: read, answer, join to an entry, reject, reopen."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from services.api.instructor_schemas import (
    FaqOut,
    MergeIn,
    QuestionList,
    QuestionOut,
    RejectIn,
    ReopenIn,
    TaAnswerIn,
)
from services.http.problems import problems
from services.http.serving import Served
from services.identity.course_keys import CourseInstructor
from vta.types import FaqId, QuestionState

_PROBLEMS = problems(
    {404: "No such question or entry.", 409: "A question is settled, or an entry asks the same question."}
)

router = APIRouter(prefix="/v1/courses/{course}/questions", tags=["questions"], responses=_PROBLEMS)


@router.get("")
async def list_questions(
    platform: Served, who: CourseInstructor, state: Annotated[QuestionState | None, Query()] = None
) -> QuestionList:
    """The questions in one state, or in all."""
    found = await asyncio.to_thread(platform.questions.questions, who.course_id, state)
    return QuestionList(questions=[QuestionOut.of(each) for each in found])


@router.post("/answer", status_code=201)
async def answer_questions(body: TaAnswerIn, platform: Served, who: CourseInstructor) -> FaqOut:
    """Answer questions, and all that wait in the same words.

    The answer is live, and every one of their askers finds it in the sidebar.
    """
    entry = await asyncio.to_thread(
        platform.questions.answer, who.course_id, body.questions, body.answer, editor=who.name
    )
    return FaqOut.of(entry)


@router.post("/merge", status_code=201)
async def merge_questions(body: MergeIn, platform: Served, who: CourseInstructor) -> FaqOut:
    """Let questions join an entry, as wordings of it; every one of their askers gets its answer."""
    entry = await asyncio.to_thread(
        platform.questions.answer, who.course_id, body.questions, FaqId(body.faq_id), editor=who.name
    )
    return FaqOut.of(entry)


@router.post("/reject", status_code=204)
async def reject_questions(body: RejectIn, platform: Served, who: CourseInstructor) -> None:
    """Say that questions will not be answered; their askers read the reason in the sidebar."""
    await asyncio.to_thread(platform.questions.reject, who.course_id, body.questions, reason=body.reason)


@router.post("/reopen", status_code=204)
async def reopen_questions(body: ReopenIn, platform: Served, who: CourseInstructor) -> None:
    """Let answered or rejected questions wait again; an entry that answered them stays."""
    await asyncio.to_thread(platform.questions.reopen, who.course_id, body.questions)
