"""The list of a course's concepts in the console, and what is decided about several of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.forms import number_in
from services.console.pages import kept_fields, page, page_number, unit_in
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.graph_review import ConceptOrder, ConceptQuery, ConceptReview
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.ports import ConceptGraph
from vta.types import AddConcept, Concept, CourseId, GraphEdit, RejectConcept

PAGE_SIZE = 50
DECISIONS = ("accept", "reject", "undo")
SETTLE = "settle"
"""To accept what is ticked, and to remove the rest of the page that nobody decided about."""
_FILTER = ("order", "unit", "explained", "decided")
_EITHER = {"yes": True, "no": False}

router = APIRouter()


@router.get("/graph")
async def table(request: Request, platform: Served, who: LoggedIn) -> Response:
    return await asyncio.to_thread(show_concepts, platform, request, who)


@router.post("/graph")
async def decide(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Accept or remove all that is ticked, or nothing of it; or take that back."""
    form = await read_form(request, who)
    try:
        done = await asyncio.to_thread(_decide, platform, request, who, form)
    except (InvalidInput, NotFound, Conflict) as refused:
        return await asyncio.to_thread(show_concepts, platform, request, who, refused.fault)
    place = kept_fields(request, *_FILTER, "search", "page")
    return RedirectResponse(f"/console/{who.course.id}/graph?{place}&{urlencode(done)}", 303)


def decision_of(form: Form, *more: str) -> str:
    """The button that was pressed, one of `DECISIONS` or of `more`; `InvalidInput` for another one."""
    decision = field(form, "decision")
    if decision not in (*DECISIONS, *more):
        raise InvalidInput(Fault("console.no_graph_edit", kind=decision), field="decision")
    return decision


def done_fields(request: Request) -> dict[str, str]:
    """What the address says of the last decision: which it was, about how many, and its number."""
    done, count, number = (request.query_params.get(name, "") for name in ("done", "count", "number"))
    known = done if done in (*DECISIONS, SETTLE) else ""
    return {"done": known, "count": count if count.isdigit() else "", "decided": number}


def record_ticked(
    platform: Platform, course_id: CourseId, decision: str, ticked: int, edits: Sequence[GraphEdit]
) -> dict[str, str]:
    """Record what was decided about so many at once; what the next page needs to say so, and to undo it.

    `InvalidInput` where nothing was ticked.
    """
    if not ticked:
        raise InvalidInput(Fault("console.none_ticked"))
    recorded = platform.graphs.record_all(course_id, edits)
    number = str(recorded[-1].number) if recorded else ""
    return {"done": decision, "count": str(ticked), "number": number}


def find_named(graph: ConceptGraph, course_id: CourseId, name: str) -> Concept:
    """The course's concept of this very name, or `NotFound`."""
    for concept in graph.concepts(course_id):
        if concept.name == name:
            return concept
    raise NotFound(Fault("graph.no_concept_of_course", course=course_id, name=name), field="name")


def show_concepts(
    platform: Platform, request: Request, who: InstructorSession, fault: Fault | None = None
) -> Response:
    """A page of the list, as the address filters and orders it."""
    review = _review(platform, who)
    query = _query(request, review)
    found = review.listed(query)
    last = max(1, -(-len(found) // PAGE_SIZE))
    number = min(page_number(request), last)
    return page(
        request,
        "graph.html",
        who,
        status=422 if fault else 200,
        concepts=found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE],
        total=len(found),
        query=query,
        filtered=query != ConceptQuery(order=query.order),
        orders=list(ConceptOrder),
        units=review.units,
        search=query.search,
        kept=kept_fields(request, *_FILTER),
        number=number,
        last=last,
        changed="changed" in request.query_params,
        **done_fields(request),
        fault=fault,
    )


def _decide(platform: Platform, request: Request, who: InstructorSession, form: Form) -> dict[str, str]:
    decision = decision_of(form, SETTLE)
    if decision == "undo":
        platform.graphs.undo(who.course.id, number=number_in(form, "number"))
        return {"done": decision}
    ticked = _ticked(platform, request, who, form)
    edits = _removed(ticked) if decision == "reject" else _accepted(ticked)
    if decision == SETTLE:
        shown = _named(platform, who, form.get("shown", ()))
        edits += _removed([each for each in shown if not each.curated and each not in ticked])
    return record_ticked(platform, who.course.id, decision, len(ticked), edits)


def _accepted(concepts: Sequence[Concept]) -> list[GraphEdit]:
    """To accept a concept is to say that there is one of this name, with the explanation it has."""
    return [AddConcept(name=each.name, definition=each.definition) for each in concepts if not each.curated]


def _removed(concepts: Sequence[Concept]) -> list[GraphEdit]:
    return [RejectConcept(concept=each.name) for each in concepts]


def _ticked(platform: Platform, request: Request, who: InstructorSession, form: Form) -> Sequence[Concept]:
    """The concepts that a form names, or all that the address lists; `NotFound` names one that is gone."""
    if field(form, "all"):
        review = _review(platform, who)
        return [each.concept for each in review.listed(_query(request, review))]
    return _named(platform, who, form.get("concept", ()))


def _named(platform: Platform, who: InstructorSession, names: Sequence[str]) -> Sequence[Concept]:
    graph = platform.graphs.graph()
    return [find_named(graph, who.course.id, name) for name in dict.fromkeys(names)]


def _review(platform: Platform, who: InstructorSession) -> ConceptReview:
    lately = platform.analytics.ready(who.course.id, platform.analytics.days(None, None))
    return platform.graphs.review_concepts(who.course.id, lately.asked)


def _query(request: Request, review: ConceptReview) -> ConceptQuery:
    order, explained, decided = (
        request.query_params.get(name, "") for name in ("order", "explained", "decided")
    )
    return ConceptQuery(
        search=request.query_params.get("search", "")[:200],
        unit=unit_in(request, review.units),
        explained=_EITHER.get(explained),
        decided=_EITHER.get(decided),
        order=ConceptOrder(order) if order in set(ConceptOrder) else ConceptOrder.USE,
    )
