"""FAQ entries by HTTP: read, write, history, rollback. A version is an ETag; a write names the one it saw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Self

from fastapi import Depends, Query, Response
from pydantic import AliasPath, BaseModel, BeforeValidator, Field, model_validator

from services.faq.replay import QUESTIONS, FaqProposal, ReplayedAnswer, replay
from services.people.course_keys import CourseInstructor, Instructor, Name
from services.web.problems import only, precondition_failed, precondition_required, problems
from services.web.schemas import (
    FaqBatchIn,
    FaqBatchList,
    FaqBatchOut,
    FaqHistory,
    FaqIn,
    FaqList,
    FaqOut,
    FaqUndoneOut,
    Identifier,
    ReplyModel,
    RequestModel,
    RollbackIn,
)
from services.web.serving import Seen, Served, ThreadedRouter, etag
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.faq import LONGEST_CATEGORY
from vta.faults import Fault
from vta.types.answers import Route
from vta.types.courses import FaqId
from vta.types.faq import FaqEntry, FaqOrder, FaqQuery, FaqState

_PROBLEMS = problems(
    {404: "No such entry.", 409: "Another entry asks the same question, or the course is archived."}
)
_WRITES = only({412: "Someone was quicker; `current` is what is there now.", 428: "If-Match is missing."})


async def _expected(seen: Seen) -> int:
    """The version that a write has seen."""
    if seen is None:
        raise precondition_required(Fault("api.if_match_needed"))
    if not seen.isdecimal():
        raise InvalidInput(Fault("api.if_match"), field="If-Match")
    return int(seen)


Expected = Annotated[int, Depends(_expected)]

router = ThreadedRouter(prefix="/v1/courses/{course}/faq", tags=["faq"], responses=_PROBLEMS)


@router.get("")
def list_entries(
    platform: Served,
    who: CourseInstructor,
    *,
    search: Annotated[str, Query(max_length=200)] = "",
    removed: Annotated[bool, Query(description="The removed entries in the place of the others.")] = False,
    category: Annotated[
        str | None, Query(max_length=LONGEST_CATEGORY, description="Of this one; empty for none.")
    ] = None,
    state: FaqState | None = None,
    order: FaqOrder = FaqOrder.OLDEST,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> FaqList:
    """The entries of the course, or those whose texts hold what is searched for."""
    query = FaqQuery(sought=search, removed=removed, category=category, state=state, order=order)
    page = platform.stores.faq.page(who.course_id, query, offset=offset, limit=limit)
    return FaqList(total=page.total, entries=[FaqOut.of(entry) for entry in page.entries])


@router.post("", status_code=201)
def add_entry(body: FaqIn, response: Response, platform: Served, who: CourseInstructor) -> FaqOut:
    """A new entry, which answers from now on unless it is a draft."""
    entry = platform.faq.add(who.course_id, body.to_draft(), editor=who.name)
    response.headers["Location"] = f"/v1/courses/{who.course_id}/faq/{entry.id}"
    return _sent(entry, response)


@router.get("/batches")
def list_batches(
    platform: Served, who: CourseInstructor, limit: Annotated[int, Query(ge=1, le=1000)] = 50
) -> FaqBatchList:
    """The last imports and changes of several entries at once."""
    found = platform.stores.faq_batches.batches(who.course_id, limit=limit)
    return FaqBatchList(batches=[FaqBatchOut.of(batch) for batch in found])


@router.post("/batches")
def change_entries(body: FaqBatchIn, platform: Served, who: CourseInstructor) -> FaqBatchOut | None:
    """Change several entries at once, all of them or none; null where they are so already."""
    ids = [FaqId(each) for each in body.entries]
    batch = platform.faq.change(who.course_id, ids, body.change, editor=who.name)
    return FaqBatchOut.of(batch) if batch else None


@router.post("/batches/{batch}/undo")
def undo_batch(batch: Name, platform: Served, who: CourseInstructor) -> FaqUndoneOut:
    """Remove what a batch added and bring back what it changed, but for entries that were edited since."""
    undone = platform.faq.undo(who.course_id, batch, editor=who.name)
    return FaqUndoneOut.of(undone)


@router.get("/{entry}")
def read_entry(entry: Name, response: Response, platform: Served, who: CourseInstructor) -> FaqOut:
    """The newest version of an entry, also of a removed one."""
    return _sent(platform.faq.entry(who.course_id, FaqId(entry)), response)


@router.put("/{entry}", responses=_WRITES)
def edit_entry(
    entry: Name,
    body: FaqIn,
    response: Response,
    platform: Served,
    who: CourseInstructor,
    *,
    expected: Expected,
) -> FaqOut:
    """The next version of an entry."""
    known, draft = FaqId(entry), body.to_draft()
    with _current_on_conflict(platform, who, known):
        edited = platform.faq.edit(who.course_id, known, draft, editor=who.name, expected=expected)
    return _sent(edited, response)


@router.delete("/{entry}", responses=_WRITES)
def remove_entry(
    entry: Name, response: Response, platform: Served, who: CourseInstructor, expected: Expected
) -> FaqOut:
    """Remove an entry; its history stays."""
    known = FaqId(entry)
    with _current_on_conflict(platform, who, known):
        removed = platform.faq.remove(who.course_id, known, editor=who.name, expected=expected)
    return _sent(removed, response)


@router.get("/{entry}/history")
def read_history(entry: Name, platform: Served, who: CourseInstructor) -> FaqHistory:
    """All versions of an entry."""
    versions = platform.stores.faq.history(who.course_id, FaqId(entry))
    return FaqHistory(versions=[FaqOut.of(version) for version in versions])


@router.post("/{entry}/rollback", responses=_WRITES)
def roll_back(
    entry: Name,
    body: RollbackIn,
    response: Response,
    platform: Served,
    who: CourseInstructor,
    *,
    expected: Expected,
) -> FaqOut:
    """A new version with the texts of an old one."""
    known, old = FaqId(entry), body.version
    with _current_on_conflict(platform, who, known):
        written = platform.faq.roll_back(who.course_id, known, old, editor=who.name, expected=expected)
    return _sent(written, response)


@contextmanager
def _current_on_conflict(platform: Platform, who: Instructor, entry: FaqId) -> Iterator[None]:
    """412 with what is there now, for the slower of two who write."""
    try:
        yield
    except Conflict as conflict:
        if conflict.field:
            raise
        newest = platform.faq.entry(who.course_id, entry)
        current = FaqOut.of(newest).model_dump(mode="json")
        raise precondition_failed(conflict.fault, headers=etag(newest.version), current=current) from conflict


def _sent(entry: FaqEntry, response: Response) -> FaqOut:
    response.headers.update(etag(entry.version))
    return FaqOut.of(entry)


class ReplayIn(RequestModel):
    """A change of the FAQ: `entry` alone is a new one, with `faq_id` an edit; `faq_id` alone a removal."""

    entry: FaqIn | None = None
    faq_id: Identifier | None = None
    limit: Annotated[int, Field(ge=1, le=1000, description="How many of the last questions.")] = QUESTIONS

    @model_validator(mode="after")
    def something_changes(self) -> Self:
        if self.entry is None and self.faq_id is None:
            raise ValueError("give entry, faq_id, or both")
        return self

    def to_proposal(self) -> FaqProposal:
        draft = self.entry.to_draft() if self.entry else None
        return FaqProposal(draft=draft, entry=FaqId(self.faq_id) if self.faq_id else None)


class OutcomeOut(BaseModel):
    """The route, and the pair that comes first: its text is the answer where the route is direct."""

    route: Route
    question: str | None
    answer: str | None
    score: float | None

    @classmethod
    def from_answer(cls, outcome: ReplayedAnswer) -> Self:
        lead = outcome.lead
        return cls(
            route=outcome.route,
            question=lead.pair.question if lead else None,
            answer=lead.pair.answer if lead else None,
            score=lead.score if lead else None,
        )


class ReplayedOut(ReplyModel):
    """A question as it was asked, and how it is and would be answered."""

    turn_id: str = Field(validation_alias=AliasPath("turn", "id"))
    question: str = Field(validation_alias=AliasPath("turn", "question"))
    changed: bool
    now: Annotated[OutcomeOut, BeforeValidator(OutcomeOut.from_answer)]
    then: Annotated[OutcomeOut, BeforeValidator(OutcomeOut.from_answer)]


class ReplayOut(BaseModel):
    """The last questions, newest first."""

    changed: int
    questions: list[ReplayedOut]


replay_router = ThreadedRouter(
    prefix="/v1/courses/{course}/replay", tags=["faq"], responses=problems({404: "No such entry."})
)


@replay_router.post("")
def replay_questions(body: ReplayIn, platform: Served, who: CourseInstructor) -> ReplayOut:
    """The effect of a change of the FAQ on the last real questions."""
    proposal = body.to_proposal()
    found = replay(platform, who.course_id, proposal, limit=body.limit)
    return ReplayOut(
        changed=sum(each.changed for each in found), questions=[ReplayedOut.of(each) for each in found]
    )
