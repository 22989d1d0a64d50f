"""The concept graph in the console: one concept with its edges and picture, edits and undo."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from concept_graph.paths import find_neighbourhood
from concept_graph.picture import draw_neighbourhood
from services.console.concept_list import find_named, show_concepts
from services.console.pages import page
from services.http.serving import PICTURE_HEADERS, Served
from services.identity.instructor_sessions import (
    Form,
    InstructorSession,
    LoggedIn,
    field,
    read_form,
)
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound
from vta.faults import Fault
from vta.types import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)

_LONGEST_EVIDENCE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """The concept at the other end of an edge."""

    concept: Concept
    edge: ConceptEdge


router = APIRouter()


@router.get("/graph/concept")
async def show_one(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await _show_concept(platform, request, who, request.query_params.get("name", ""))


@router.get("/graph/picture")
async def picture(name: str, platform: Served, who: LoggedIn) -> Response:
    graph = await asyncio.to_thread(platform.graphs.graph)
    around = find_neighbourhood(graph, find_named(graph, who.course.id, name), depth=2, with_unsure=True)
    drawn = draw_neighbourhood(around, who.course.language)
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE_HEADERS)


@router.post("/graph/edits")
async def edit(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Record what a button says, and go back to the concept it was about."""
    form = await read_form(request, who)
    try:
        recorded = await asyncio.to_thread(platform.graphs.record, who.course.id, _edit_of(form))
    except (InvalidInput, NotFound) as fault:
        about = field(form, "about")
        if about:
            return await _show_concept(platform, request, who, about, fault=fault.fault)
        return await asyncio.to_thread(show_concepts, platform, request, who, fault.fault)
    return _to(who, _next(recorded.edit, field(form, "about")), "changed")


@router.get("/graph/edits")
async def list_edits(request: Request, platform: Served, who: LoggedIn) -> Response:
    found = await asyncio.to_thread(platform.graphs.edits, who.course.id)
    lines = [(each.recorded, _in_words(each.recorded.edit), not each.effect) for each in reversed(found)]
    return page(request, "graph_edits.html", who, edits=lines, undone="undone" in request.query_params)


@router.post("/graph/undo")
async def undo(request: Request, platform: Served, who: LoggedIn) -> Response:
    await read_form(request, who)
    await asyncio.to_thread(platform.graphs.undo, who.course.id)
    return RedirectResponse(f"/console/{who.course.id}/graph/edits?undone", status_code=303)


async def _show_concept(
    platform: Platform, request: Request, who: InstructorSession, name: str, fault: Fault | None = None
) -> Response:
    graph = await asyncio.to_thread(platform.graphs.graph)
    concept = find_named(graph, who.course.id, name)
    edges = graph.edges(who.course.id)
    return page(
        request,
        "concept.html",
        who,
        status=422 if fault else 200,
        concept=concept,
        before=[
            Neighbour(concept=graph.concept(each.prerequisite), edge=each)
            for each in edges
            if each.concept == concept.id
        ],
        after=[
            Neighbour(concept=graph.concept(each.concept), edge=each)
            for each in edges
            if each.prerequisite == concept.id
        ],
        names=[each.name for each in graph.concepts(who.course.id) if each.id != concept.id],
        changed="changed" in request.query_params,
        fault=fault,
    )


def _edit_of(form: Form) -> GraphEdit:
    """The edit that a form says. `InvalidInput` for an unknown kind."""

    def text(name: str) -> str:
        return field(form, name).strip()

    match text("kind"):
        case "add":
            return AddConcept(name=text("name"), definition=text("definition"))
        case "reject":
            return RejectConcept(concept=text("concept"))
        case "rename":
            return RenameConcept(concept=text("concept"), name=text("name"))
        case "merge":
            return MergeConcepts(concept=text("concept"), other=text("other"))
        case "explain":
            return ExplainConcept(concept=text("concept"), definition=text("definition"))
        case "link":
            return LinkConcepts(
                prerequisite=text("prerequisite"),
                concept=text("concept"),
                evidence=text("evidence")[:_LONGEST_EVIDENCE],
            )
        case "unlink":
            return UnlinkConcepts(prerequisite=text("prerequisite"), concept=text("concept"))
        case other:
            raise InvalidInput(Fault("console.no_graph_edit", kind=other), field="kind")


def _next(edit: GraphEdit, about: str) -> str:
    """The concept to look at after an edit; empty for the table."""
    match edit:
        case RejectConcept():
            return ""
        case AddConcept(name=name) | RenameConcept(name=name):
            return name
        case MergeConcepts(concept=concept):
            return concept
        case _:
            return about


def _to(who: InstructorSession, name: str, told: str) -> Response:
    home = f"/console/{who.course.id}/graph"
    address = f"{home}/concept?name={quote(name, safe='')}&{told}" if name else f"{home}?{told}"
    return RedirectResponse(address, status_code=303)


def _in_words(edit: GraphEdit) -> str:
    """The names and texts of an edit."""
    values = [value for key, value in asdict(edit).items() if key != "kind" and value]
    return " · ".join("、".join(value) if isinstance(value, tuple) else value for value in values)
