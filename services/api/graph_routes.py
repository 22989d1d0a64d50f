"""Manual edits of a course's graph by HTTP: edit, list the edits, undo."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field

from services.http.problems import problems
from services.http.serving import Served
from services.identity.course_keys import CourseInstructor
from vta.types import GraphEdit, RecordedEdit

_PROBLEMS = problems({404: "No such concept or edge in the course, or nothing to undo."})
_Edit = Annotated[GraphEdit, Field(discriminator="kind")]


class RecordedEditOut(BaseModel):
    """An edit as recorded, with the names of the concepts meant; `effect` is False for one passed over."""

    number: int
    edit: _Edit
    created_at: datetime
    effect: bool

    @classmethod
    def of(cls, recorded: RecordedEdit, *, effect: bool = True) -> Self:
        return cls(number=recorded.number, edit=recorded.edit, created_at=recorded.created_at, effect=effect)


class EditList(BaseModel):
    """The edits of a course's graph that stand, oldest first."""

    edits: list[RecordedEditOut]


router = APIRouter(prefix="/v1/courses/{course}/graph", tags=["graph"], responses=_PROBLEMS)


@router.get("/edits")
async def list_edits(platform: Served, who: CourseInstructor) -> EditList:
    """What people changed in the graph, and which of it has an effect."""
    found = await asyncio.to_thread(platform.graphs.edits, who.course_id)
    return EditList(edits=[RecordedEditOut.of(each.recorded, effect=each.effect) for each in found])


@router.post("/edits", status_code=201)
async def add_edit(
    edit: Annotated[_Edit, Body()], platform: Served, who: CourseInstructor
) -> RecordedEditOut:
    """Change the graph; a later build of it keeps the change."""
    return RecordedEditOut.of(await asyncio.to_thread(platform.graphs.record, who.course_id, edit))


@router.post("/undo")
async def undo(platform: Served, who: CourseInstructor) -> RecordedEditOut:
    """Take the last edit back, and with it those that were recorded together with it."""
    undone = await asyncio.to_thread(platform.graphs.undo, who.course_id)
    return RecordedEditOut.of(undone[-1], effect=False)
