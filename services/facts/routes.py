"""The facts of a course by HTTP, read and written as a whole."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Annotated

from fastapi import Response
from pydantic import Field

from services.facts.store import LONGEST_LINE, LONGEST_NOTE, MOST, mark_of
from services.people.course_keys import CourseInstructor
from services.web.problems import only, precondition_failed, problems
from services.web.schemas import Identifier, ReplyModel, RequestModel, plain_text
from services.web.serving import Seen, Served, ThreadedRouter, etag
from vta.errors import Conflict
from vta.types.facts import CourseFacts, Fact, FactKind

Line = Annotated[str, plain_text(LONGEST_LINE)]
Note = Annotated[str, plain_text(LONGEST_NOTE)]


class FactModel(RequestModel):
    """A fact. Times are of the course's time zone; with a weekday they are times of that day ("14:00")."""

    id: Identifier | None = Field(default=None, description="That of a fact that stays; null for a new one.")
    kind: FactKind
    name: Line
    begins: Line = Field(default="", description='"2026-12-04", or "2026-12-04T23:59" with the time.')
    ends: Line = ""
    weekday: Annotated[int, Field(ge=1, le=7)] | None = Field(default=None, description="1 is Monday.")
    place: Line = ""
    note: Note = Field(default="", description="A rule in the course's own words, or a person's role.")
    link: Line = ""
    review: bool = Field(default=False, description="Copied from another term, and not looked at yet.")

    def to_fact(self) -> Fact:
        return Fact(**{**dict(self), "id": self.id or secrets.token_hex(8)})


class FactsModel(
    ReplyModel,
    extra="forbid",
    json_schema_extra={
        "examples": [
            {
                "time_zone": "Europe/Berlin",
                "facts": [{"kind": "deadline", "name": "Homework 3", "begins": "2026-12-04T23:59"}],
            }
        ]
    },
):
    """All facts of a course, and its time zone."""

    time_zone: Line = Field(default="UTC", description='As in the tz database: "Asia/Shanghai".')
    facts: Annotated[tuple[FactModel, ...], Field(max_length=MOST)] = ()

    def instead_of(self, found: CourseFacts) -> CourseFacts:
        return replace(found, time_zone=self.time_zone, facts=tuple(each.to_fact() for each in self.facts))


_CHANGE = only({412: "They were changed meanwhile; `current` is what is there now."})

router = ThreadedRouter(
    prefix="/v1/courses/{course}/facts", tags=["facts"], responses=problems({404: "No such course."})
)


@router.get("")
def read_course_facts(response: Response, platform: Served, who: CourseInstructor) -> FactsModel:
    """The facts on dates, people and rules, from which such questions are answered first."""
    found = platform.stores.facts.facts(who.course_id)
    response.headers.update(etag(mark_of(found)))
    return FactsModel.of(found)


@router.put("", responses=_CHANGE)
def write_course_facts(
    body: FactsModel, response: Response, platform: Served, who: CourseInstructor, expected: Seen
) -> FactsModel:
    """Put these in the place of all facts; they hold from the next question on."""
    facts = platform.stores.facts
    try:
        kept = facts.change(who.course_id, body.instead_of, expected=expected)
    except Conflict as conflict:
        found = facts.facts(who.course_id)
        current = FactsModel.of(found).model_dump(mode="json")
        raise precondition_failed(conflict.fault, headers=etag(mark_of(found)), current=current) from conflict
    response.headers.update(etag(mark_of(kept)))
    return FactsModel.of(kept)
