"""The whole concept graph in the console: its prerequisites by unit, to be accepted and rejected in a row."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from services.console.concept_list import decision_of, done_fields, record_ticked
from services.console.forms import number_in
from services.console.pages import kept_fields, page, page_number, reader_language, unit_in
from services.http.serving import PICTURE_HEADERS, Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.graph_review import EdgeReview, Reviewed, Show
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.types import GraphEdit, LinkConcepts, UnlinkConcepts

PAGE_SIZE = 50
_LONGEST_EVIDENCE = 5_000
_STATUS = {NotFound: 404, Conflict: 409}

router = APIRouter()


@router.get("/graph/prerequisites")
async def listing(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show(platform, request, who)


@router.get("/graph/units")
async def units(request: Request, platform: Served, who: LoggedIn) -> Response:
    review = await asyncio.to_thread(platform.graphs.review, who.course.id)
    return page(request, "units.html", who, units=review.summaries())


@router.get("/graph/units/picture")
async def picture(request: Request, unit: int, platform: Served, who: LoggedIn) -> Response:
    review = await asyncio.to_thread(platform.graphs.review, who.course.id)
    drawn = review.picture(unit, reader_language(request, who))
    if drawn is None:
        raise NotFound(Fault("console.no_unit", number=unit))
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE_HEADERS)


@router.post("/graph/prerequisites")
async def decide(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Accept or reject one, or all that are ticked, or take that back; a script is answered in JSON."""
    form = await read_form(request, who)
    wants_json = "application/json" in request.headers.get("accept", "")
    try:
        done = await asyncio.to_thread(_decide, platform, request, who, form)
    except (InvalidInput, NotFound, Conflict) as fault:
        if wants_json:
            raise
        return await _show(platform, request, who, fault=fault)
    if wants_json:
        return JSONResponse({"number": int(done["number"])})
    place = kept_fields(request, "show", "unit", "search", "page")
    return RedirectResponse(f"/console/{who.course.id}/graph/prerequisites?{place}&{urlencode(done)}", 303)


def _decide(platform: Platform, request: Request, who: InstructorSession, form: Form) -> dict[str, str]:
    """What the next page needs to say what was done, and to undo it. `InvalidInput` if nothing known was."""
    decision = decision_of(form)
    if decision == "undo":
        undone = platform.graphs.undo(who.course.id, number=number_in(form, "number"))
        return {"done": decision, "number": str(undone[-1].number)}
    if field(form, "several"):
        ticked = _ticked(platform, request, who, form)
        edits = [
            _edit(decision, each.prerequisite.name, each.concept.name, _evidence(each))
            for each in ticked
            if (each.edge is not None if decision == "reject" else not (each.edge and each.edge.curated))
        ]
        return record_ticked(platform, who.course.id, decision, len(ticked), edits)
    before, after, evidence = (field(form, name).strip() for name in ("prerequisite", "concept", "evidence"))
    edit = _edit(decision, before, after, evidence)
    return {"done": decision, "number": str(platform.graphs.record(who.course.id, edit).number)}


def _edit(decision: str, before: str, after: str, evidence: str) -> GraphEdit:
    if decision == "reject":
        return UnlinkConcepts(prerequisite=before, concept=after)
    return LinkConcepts(prerequisite=before, concept=after, evidence=evidence[:_LONGEST_EVIDENCE])


def _evidence(each: Reviewed) -> str:
    return "\n".join(each.edge.evidence) if each.edge else ""


def _ticked(platform: Platform, request: Request, who: InstructorSession, form: Form) -> list[Reviewed]:
    """Those that a form names, or all that the address lists; `NotFound` names one that is gone."""
    review = platform.graphs.review(who.course.id)
    if field(form, "all"):
        return _listed(request, review)
    every = (*review.listed(Show.ALL), *review.listed(Show.REJECTED))
    known = {(each.prerequisite.name, each.concept.name): each for each in every}
    pairs = [tuple(each.partition("\t")[::2]) for each in dict.fromkeys(form.get("pair", ()))]
    for before, after in pairs:
        if (before, after) not in known:
            raise NotFound(Fault("graph.no_prerequisite", prerequisite=before, concept=after), field="pair")
    return [known[before, after] for before, after in pairs]


def _listed(request: Request, review: EdgeReview) -> list[Reviewed]:
    search = request.query_params.get("search", "")[:200]
    return review.listed(_shown(request), unit=unit_in(request, review.units), search=search)


async def _show(
    platform: Platform, request: Request, who: InstructorSession, fault: VtaError | None = None
) -> Response:
    review = await asyncio.to_thread(platform.graphs.review, who.course.id)
    unit, found = unit_in(request, review.units), _listed(request, review)
    last = max(1, -(-len(found) // PAGE_SIZE))
    number = min(page_number(request), last)
    return page(
        request,
        "prerequisites.html",
        who,
        status=_status(fault) if fault else 200,
        found=found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE],
        first=(number - 1) * PAGE_SIZE,
        total=len(found),
        units=review.units,
        unit=unit,
        drawn=unit is not None and review.picture(unit, reader_language(request, who)) is not None,
        show=_shown(request).value,
        shows=[each.value for each in Show],
        search=request.query_params.get("search", "")[:200],
        kept=kept_fields(request, "show", "unit"),
        number=number,
        last=last,
        **done_fields(request),
        fault=fault.fault if fault else None,
    )


def _shown(request: Request) -> Show:
    show = request.query_params.get("show", "")
    return Show(show) if show in set(Show) else Show.UNDECIDED


def _status(fault: VtaError) -> int:
    return _STATUS.get(type(fault), 422)
