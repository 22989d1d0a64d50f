"""What a language model proposed for the concept graph, in the console: to be accepted or removed."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.pages import page
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound
from vta.faults import Fault
from vta.types import ExplainConcept, LinkConcepts

PAGE_SIZE = 50

router = APIRouter()


@router.get("/graph/proposals")
async def listing(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show(platform, request, who)


@router.post("/graph/proposals")
async def decide(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Accept or remove one proposal."""
    form = await read_form(request, who)
    edit, decision = _edit_of(form), field(form, "decision")
    decisions = {"accept": platform.proposals.accept, "reject": platform.proposals.remove}
    if decision not in decisions:
        raise InvalidInput(Fault("console.no_graph_edit", kind=decision), field="decision")
    try:
        await asyncio.to_thread(decisions[decision], who.course.id, edit)
    except (InvalidInput, NotFound) as fault:
        return await _show(platform, request, who, fault=fault.fault)
    return RedirectResponse(f"/console/{who.course.id}/graph/proposals?done={decision}", status_code=303)


def _edit_of(form: Form) -> ExplainConcept | LinkConcepts:
    concept, before = field(form, "concept").strip(), field(form, "prerequisite").strip()
    if before:
        return LinkConcepts(prerequisite=before, concept=concept, evidence=field(form, "evidence").strip())
    return ExplainConcept(concept=concept, definition=field(form, "definition").strip())


async def _show(
    platform: Platform, request: Request, who: InstructorSession, fault: Fault | None = None
) -> Response:
    found = await asyncio.to_thread(platform.proposals.proposals, who.course.id)
    done = request.query_params.get("done", "")
    return page(
        request,
        "proposals.html",
        who,
        status=422 if fault else 200,
        waiting=[each for each in found if not each.is_shown],
        shown=[each for each in found if each.is_shown],
        has_model=platform.model is not None,
        done=done if done in ("accept", "reject") else "",
        fault=fault,
        most=PAGE_SIZE,
    )
