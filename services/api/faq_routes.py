"""FAQ entries by HTTP: read, write, history, rollback. A version is an ETag; a write names the one it saw."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response

from services.api.instructor_schemas import FaqHistory, FaqIn, FaqList, FaqOut, RollbackIn
from services.http.problems import Problem, ProblemRaised, problems
from services.identity.course_keys import Instructor, Name, instructors_of
from services.indexing.sync import sync_index
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.text import normalise
from vta.types import FaqDraft, FaqEntry, FaqId

_PROBLEMS = problems({404: "No such entry.", 409: "Another entry asks the same question."})
_WRITES: dict[int | str, dict[str, object]] = {
    412: {"model": Problem, "description": "Someone was quicker; `current` is what is there now."},
    428: {"model": Problem, "description": "If-Match is missing."},
}
_ETAG = re.compile(r'"(\d{1,9})"')
IfMatch = Annotated[str | None, Header(description="The ETag of the version that was read.")]


def faq_routes(platform: Platform) -> APIRouter:
    """The router of FAQ entries over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}/faq", tags=["faq"], responses=_PROBLEMS)
    faq = platform.stores.faq
    instructor = Depends(instructors_of(platform.stores.keys))

    async def change(who: Instructor, entry: Name, expected: int, draft: FaqDraft | None) -> FaqEntry:
        """Write the next version, or the removal where there is no draft; 412 for the slower of two."""
        known = (who.course_id, FaqId(entry))
        try:
            if draft is None:
                written = await asyncio.to_thread(faq.remove, *known, editor=who.name, expected=expected)
            else:
                written = await asyncio.to_thread(faq.edit, *known, draft, editor=who.name, expected=expected)
        except Conflict as conflict:
            if conflict.field:
                raise
            newest = (await asyncio.to_thread(faq.history, *known))[-1]
            current = FaqOut.of(newest).model_dump(mode="json")
            raise ProblemRaised(
                412, "precondition_failed", conflict.message, headers=_etag(newest), current=current
            ) from conflict
        await asyncio.to_thread(sync_index, platform.knowledge)
        return written

    @router.get("")
    async def list_entries(
        search: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        who: Instructor = instructor,
    ) -> FaqList:
        """The entries of the course, or those whose texts hold what is searched for."""
        entries = await asyncio.to_thread(faq.entries, who.course_id)
        found = [entry for entry in entries if _holds(entry.draft, normalise(search))]
        page = found[offset : offset + limit]
        return FaqList(total=len(found), entries=[FaqOut.of(entry) for entry in page])

    @router.post("", status_code=201)
    async def add_entry(body: FaqIn, response: Response, who: Instructor = instructor) -> FaqOut:
        """A new entry, which answers from now on."""
        (entry,) = await asyncio.to_thread(faq.add, who.course_id, [body.to_draft()], editor=who.name)
        await asyncio.to_thread(sync_index, platform.knowledge)
        response.headers.update(_etag(entry))
        response.headers["Location"] = f"/v1/courses/{who.course_id}/faq/{entry.id}"
        return FaqOut.of(entry)

    @router.get("/{entry}")
    async def read_entry(entry: Name, response: Response, who: Instructor = instructor) -> FaqOut:
        """The newest version of an entry, also of a removed one."""
        newest = (await asyncio.to_thread(faq.history, who.course_id, FaqId(entry)))[-1]
        response.headers.update(_etag(newest))
        return FaqOut.of(newest)

    @router.put("/{entry}", responses=_WRITES)
    async def edit_entry(
        entry: Name, body: FaqIn, response: Response, who: Instructor = instructor, if_match: IfMatch = None
    ) -> FaqOut:
        """The next version of an entry."""
        written = await change(who, entry, _expected(if_match), body.to_draft())
        response.headers.update(_etag(written))
        return FaqOut.of(written)

    @router.delete("/{entry}", responses=_WRITES)
    async def remove_entry(
        entry: Name, response: Response, who: Instructor = instructor, if_match: IfMatch = None
    ) -> FaqOut:
        """Remove an entry; its history stays."""
        written = await change(who, entry, _expected(if_match), None)
        response.headers.update(_etag(written))
        return FaqOut.of(written)

    @router.get("/{entry}/history")
    async def read_history(entry: Name, who: Instructor = instructor) -> FaqHistory:
        """All versions of an entry."""
        versions = await asyncio.to_thread(faq.history, who.course_id, FaqId(entry))
        return FaqHistory(versions=[FaqOut.of(version) for version in versions])

    @router.post("/{entry}/rollback", responses=_WRITES)
    async def roll_back(
        entry: Name,
        body: RollbackIn,
        response: Response,
        who: Instructor = instructor,
        if_match: IfMatch = None,
    ) -> FaqOut:
        """A new version with the texts of an old one."""
        expected = _expected(if_match)
        versions = await asyncio.to_thread(faq.history, who.course_id, FaqId(entry))
        if body.version > len(versions):
            raise InvalidInput(f"the entry has {len(versions)} versions only", field="version")
        written = await change(who, entry, expected, versions[body.version - 1].draft)
        response.headers.update(_etag(written))
        return FaqOut.of(written)

    return router


def _expected(if_match: str | None) -> int:
    """The version that a write has seen."""
    if if_match is None:
        raise ProblemRaised(428, "precondition_required", "send If-Match with the ETag that was read")
    version = _ETAG.fullmatch(if_match.strip())
    if version is None:
        raise InvalidInput('If-Match is no ETag of an entry, such as "3"', field="If-Match")
    return int(version[1])


def _etag(entry: FaqEntry) -> dict[str, str]:
    return {"ETag": f'"{entry.version}"'}


def _holds(draft: FaqDraft, sought: str) -> bool:
    texts = (draft.question, draft.answer, *draft.similar_questions)
    return any(sought in normalise(text) for text in texts)
