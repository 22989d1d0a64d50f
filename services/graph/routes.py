"""The graph of a course by HTTP: manual edits, and what comes before a concept, as JSON and as a picture."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

from fastapi import Body, Depends, Path, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from concept_graph.paths import find_neighbourhood
from concept_graph.picture import draw_neighbourhood
from services.graph.schemas import ConceptStudyOut
from services.graph.service import find_concept, study_to_json
from services.people.authenticator import ASKER_PROBLEMS, principals
from services.people.course_keys import CourseInstructor, Name
from services.web.problems import problems
from services.web.serving import PICTURE_HEADERS, Served, ThreadedRouter
from vta.types.concepts import GraphEdit, RecordedEdit
from vta.types.courses import CourseId

_PROBLEMS = problems({404: "No such concept or edge in the course, or nothing to undo."})
_Edit = Annotated[GraphEdit, Field(discriminator="kind")]


class RecordedEditOut(BaseModel):
    """An edit as recorded, with the names of the concepts meant; `effect` is False for one passed over."""

    number: int
    edit: _Edit
    created_at: datetime
    effect: bool

    @classmethod
    def from_edit(cls, recorded: RecordedEdit, *, effect: bool = True) -> Self:
        return cls(number=recorded.number, edit=recorded.edit, created_at=recorded.created_at, effect=effect)


class EditList(BaseModel):
    """The edits of a course's graph that stand, oldest first."""

    edits: list[RecordedEditOut]


router = ThreadedRouter(prefix="/v1/courses/{course}/graph", tags=["graph"], responses=_PROBLEMS)


@router.get("/edits")
def list_edits(platform: Served, who: CourseInstructor) -> EditList:
    """The edits of the graph, and which of them have an effect."""
    found = platform.graphs.edits(who.course_id)
    return EditList(edits=[RecordedEditOut.from_edit(each.recorded, effect=each.effect) for each in found])


@router.post("/edits", status_code=201)
def add_edit(edit: Annotated[_Edit, Body()], platform: Served, who: CourseInstructor) -> RecordedEditOut:
    """Change the graph; a later build of it keeps the change."""
    return RecordedEditOut.from_edit(platform.graphs.record(who.course_id, edit))


@router.post("/undo")
def undo(platform: Served, who: CourseInstructor) -> RecordedEditOut:
    """Take the last edit back, and with it those that were recorded together with it."""
    undone = platform.graphs.undo(who.course_id)
    return RecordedEditOut.from_edit(undone[-1], effect=False)


LONGEST_NAME = 200
"""Characters of the name of a concept."""

_ConceptName = Annotated[
    str, Path(min_length=1, max_length=LONGEST_NAME, description="A name or alias, URL-encoded.")
]
_Depth = Annotated[int, Query(ge=1, le=2, description="How many columns of what comes before.")]
_CONCEPT_PROBLEMS = {
    404: "No such course, or no such concept in it.",
    503: "The course cannot be read from right now.",
}


concept_router = ThreadedRouter(
    prefix="/v1/courses/{course}/concepts",
    tags=["concepts"],
    responses=problems(ASKER_PROBLEMS | _CONCEPT_PROBLEMS, bodies=False),
    dependencies=[Depends(principals())],
)


@concept_router.get(  # a name may hold slashes, so this route stands first
    "/{name:path}/neighbourhood.svg",
    response_class=Response,  # of no media type, so that problems keep their own
    responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
)
def draw_concept(course: Name, name: _ConceptName, platform: Served, depth: _Depth = 1) -> Response:
    """A picture of what comes before the concept (left) and what builds on it (right)."""
    found = platform.stores.courses.course(CourseId(course))
    knowledge = platform.knowledge.current(found)
    concept = find_concept(name, course=found, knowledge=knowledge)
    picture = draw_neighbourhood(find_neighbourhood(knowledge.graph, concept, depth=depth), found.language)
    return Response(picture, media_type="image/svg+xml", headers=PICTURE_HEADERS)


@concept_router.get("/{name:path}", response_model=None, responses={200: {"model": ConceptStudyOut}})
def read_concept(course: Name, name: _ConceptName, platform: Served) -> Response:
    """The concept, its path and its dependents, each with the place where it is taught."""
    found = platform.stores.courses.course(CourseId(course))
    return JSONResponse(study_to_json(platform.graphs.study(found.id, name), found.language))
