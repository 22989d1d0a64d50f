"""The human hand on a course's graph by HTTP: edit, list the edits, undo."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Body, Depends
from pydantic import BaseModel, Field

from services.http.problems import problems
from services.identity.course_keys import Instructor, instructors_of
from services.indexing.sync import sync_index
from services.use_cases.graph_editing import edit_graph, idle_edits
from services.wiring import Platform
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


def graph_routes(platform: Platform) -> APIRouter:
    """The router of graph edits over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}/graph", tags=["graph"], responses=_PROBLEMS)
    instructor = Depends(instructors_of(platform.stores.keys))
    edits = platform.stores.edits

    @router.get("/edits")
    async def list_edits(who: Instructor = instructor) -> EditList:
        """What people changed in the graph, and which of it has an effect."""
        return await asyncio.to_thread(read, who)

    @router.post("/edits", status_code=201)
    async def add_edit(edit: Annotated[_Edit, Body()], who: Instructor = instructor) -> RecordedEditOut:
        """Change the graph; a later build of it keeps the change."""
        return RecordedEditOut.of(await asyncio.to_thread(record, who, edit))

    @router.post("/undo")
    async def undo(who: Instructor = instructor) -> RecordedEditOut:
        """Take the last edit back."""
        undone = await asyncio.to_thread(edits.undo, who.course_id)
        await asyncio.to_thread(sync_index, platform.knowledge)
        return RecordedEditOut.of(undone, effect=False)

    def read(who: Instructor) -> EditList:
        found = edits.edits(who.course_id)
        idle = idle_edits(who.course_id, documents=platform.stores.documents, edits=found)
        return EditList(edits=[RecordedEditOut.of(each, effect=each.number not in idle) for each in found])

    def record(who: Instructor, edit: GraphEdit) -> RecordedEdit:
        course = platform.stores.courses.course(who.course_id)
        graph = platform.knowledge.current().graph
        recorded = edit_graph(edit, course=course, graph=graph, edits=edits)
        sync_index(platform.knowledge)
        return recorded

    return router
