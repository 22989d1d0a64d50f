"""The questions that wait for a real TA: read, answer, merge, reject."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from services.api.instructor_schemas import FaqOut, MergeIn, QuestionList, QuestionOut, RejectIn, TaAnswerIn
from services.http.problems import problems
from services.identity.course_keys import Instructor, instructors_of
from services.indexing.sync import sync_index
from services.wiring import Platform
from vta.types import FaqId

_PROBLEMS = problems(
    {404: "No such question or entry.", 409: "A question is settled, or an entry asks the same question."}
)


def question_routes(platform: Platform) -> APIRouter:
    """The router of waiting questions over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}/questions", tags=["questions"], responses=_PROBLEMS)
    sessions, queue = platform.stores.sessions, platform.stores.ta_queue
    instructor = Depends(instructors_of(platform.stores.keys))

    @router.get("")
    async def list_questions(
        state: Annotated[Literal["waiting", "answered", "rejected"] | None, Query()] = None,
        who: Instructor = instructor,
    ) -> QuestionList:
        """The questions in one state, or in all."""
        found = await asyncio.to_thread(sessions.waiting_questions, who.course_id, state)
        return QuestionList(questions=[QuestionOut.of(waiting) for waiting in found])

    @router.post("/answer", status_code=201)
    async def answer_questions(body: TaAnswerIn, who: Instructor = instructor) -> FaqOut:
        """Answer questions; the answer is live, and every one of their askers finds it in the sidebar."""
        entry = await asyncio.to_thread(
            queue.answer, who.course_id, body.questions, body.answer, editor=who.name
        )
        await asyncio.to_thread(sync_index, platform.knowledge)
        return FaqOut.of(entry)

    @router.post("/merge", status_code=201)
    async def merge_questions(body: MergeIn, who: Instructor = instructor) -> FaqOut:
        """Let questions join an entry, as wordings of it; every one of their askers gets its answer."""
        entry = await asyncio.to_thread(
            queue.answer, who.course_id, body.questions, FaqId(body.faq_id), editor=who.name
        )
        await asyncio.to_thread(sync_index, platform.knowledge)
        return FaqOut.of(entry)

    @router.post("/reject", status_code=204)
    async def reject_questions(body: RejectIn, who: Instructor = instructor) -> None:
        """Say that questions will not be answered."""
        await asyncio.to_thread(queue.reject, who.course_id, body.questions, reason=body.reason)

    return router
