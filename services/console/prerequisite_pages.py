"""The whole concept graph in the console: its prerequisites by unit, to be accepted and rejected in a row."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from services.console.forms import number_in
from services.console.pages import page, page_number, reader_language
from services.http.downloads import PICTURE_HEADERS
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.edge_review import EdgeReview, Show
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.types import LinkConcepts, UnlinkConcepts

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
    """Accept or reject one, or take the last decision back; a script is answered in JSON."""
    form = await read_form(request, who)
    wants_json = "application/json" in request.headers.get("accept", "")
    try:
        number = await asyncio.to_thread(_decide, platform, who, form)
    except (InvalidInput, NotFound, Conflict) as fault:
        if wants_json:
            raise
        return await _show(platform, request, who, fault=fault)
    if wants_json:
        return JSONResponse({"number": number})
    place = _kept(request, "show", "unit", "search", "page")
    query = urlencode({"done": field(form, "decision"), "number": number})
    return RedirectResponse(f"/console/{who.course.id}/graph/prerequisites?{place}&{query}", 303)


def _decide(platform: Platform, who: InstructorSession, form: Form) -> int:
    """The number of the edit that was made or taken back. `InvalidInput` for an unknown decision."""
    before, after = field(form, "prerequisite").strip(), field(form, "concept").strip()
    match field(form, "decision"):
        case "accept":
            evidence = field(form, "evidence").strip()[:_LONGEST_EVIDENCE]
            link = LinkConcepts(prerequisite=before, concept=after, evidence=evidence)
            return platform.graphs.record(who.course.id, link).number
        case "reject":
            unlink = UnlinkConcepts(prerequisite=before, concept=after)
            return platform.graphs.record(who.course.id, unlink).number
        case "undo":
            return platform.graphs.undo(who.course.id, number=number_in(form, "number")).number
        case other:
            raise InvalidInput(Fault("console.no_graph_edit", kind=other), field="decision")


async def _show(
    platform: Platform, request: Request, who: InstructorSession, fault: VtaError | None = None
) -> Response:
    review = await asyncio.to_thread(platform.graphs.review, who.course.id)
    show, unit = _chosen(request, review)
    search = request.query_params.get("search", "")[:200]
    found = review.listed(show, unit=unit, search=search)
    last = max(1, -(-len(found) // PAGE_SIZE))
    number = min(page_number(request), last)
    done, decided = (request.query_params.get(name, "") for name in ("done", "number"))
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
        show=show.value,
        shows=[each.value for each in Show],
        search=search,
        kept=_kept(request, "show", "unit"),
        number=number,
        last=last,
        done=done if done in ("accept", "reject", "undo") else "",
        decided=decided,
        fault=fault.fault if fault else None,
    )


def _chosen(request: Request, review: EdgeReview) -> tuple[Show, int | None]:
    show, unit = (request.query_params.get(name, "") for name in ("show", "unit"))
    known = unit.isascii() and unit.isdigit() and len(unit) < 10 and int(unit) < len(review.units)
    return Show(show) if show in set(Show) else Show.UNDECIDED, int(unit) if known else None


def _kept(request: Request, *names: str) -> str:
    """These parts of the address again."""
    return urlencode({name: request.query_params.get(name, "")[:200] for name in names})


def _status(fault: VtaError) -> int:
    return _STATUS.get(type(fault), 422)
