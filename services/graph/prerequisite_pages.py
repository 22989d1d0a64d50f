"""The graph's prerequisites by unit, its reading by a language model, and seeds from a syllabus."""

from __future__ import annotations

import asyncio
from functools import partial
from urllib.parse import urlencode

from fastapi.responses import JSONResponse, Response

from services.console.forms import number_in, read_uploads
from services.console.visits import PageRouter, Uploading, Visit, Visiting
from services.graph.files import read_syllabus
from services.graph.pages import (
    LONGEST_EVIDENCE,
    PAGE_SIZE,
    REFUSALS,
    decision_of,
    done_fields,
    record_ticked,
)
from services.graph.review import EdgeReview, Reviewed, Show
from services.web.serving import PICTURE_HEADERS
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.concepts import GraphEdit, LinkConcepts, UnlinkConcepts

router = PageRouter()


@router.get("/graph/prerequisites")
def show_prerequisites(visit: Visiting) -> Response:
    """A page of the prerequisites, as the address filters them."""
    review = visit.platform.graphs.review(visit.course_id)
    unit = visit.unit_in(review.units)
    found, numbers = visit.listed(_listed(visit, review), PAGE_SIZE)
    return visit.page(
        "prerequisites.html",
        found=found,
        first=(numbers["number"] - 1) * PAGE_SIZE,
        units=review.units,
        unit=unit,
        drawn=unit is not None and review.picture(unit, visit.language) is not None,
        show=_shown(visit).value,
        shows=[each.value for each in Show],
        search=visit.search,
        kept=visit.kept_fields("show", "unit"),
        **numbers,
        **done_fields(visit),
    )


@router.get("/graph/units")
def units(visit: Visiting) -> Response:
    review = visit.platform.graphs.review(visit.course_id)
    return visit.page("units.html", units=review.summaries())


@router.get("/graph/units/picture")
def picture(visit: Visiting, unit: int) -> Response:
    review = visit.platform.graphs.review(visit.course_id)
    drawn = review.picture(unit, visit.language)
    if drawn is None:
        raise NotFound(Fault("console.no_unit", number=unit))
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE_HEADERS)


@router.form("/graph/prerequisites", show_prerequisites, REFUSALS)
def decide(visit: Visiting) -> Response:
    """Accept or reject one, or all that are ticked, or take that back; a script is answered in JSON."""
    done = _decide(visit)
    if visit.wants_json:
        return JSONResponse({"number": int(done["number"])})
    place = visit.kept_fields("show", "unit", "search", "page")
    return visit.to(f"graph/prerequisites?{place}&{urlencode(done)}")


def _decide(visit: Visit) -> dict[str, str]:
    """Carry a decision out; returns the fields by which the next page shows and undoes it."""
    decision = decision_of(visit.form)
    if decision == "undo":
        undone = visit.platform.graphs.undo(visit.course_id, number=number_in(visit.form, "number"))
        return {"done": decision, "number": str(undone[-1].number)}
    if visit.field("several"):
        ticked = _ticked(visit)
        edits = [
            _edit(decision, each.prerequisite.name, each.concept.name, _evidence(each))
            for each in ticked
            if (each.edge is not None if decision == "reject" else not (each.edge and each.edge.curated))
        ]
        return record_ticked(visit, decision, len(ticked), edits)
    before, after, evidence = (visit.field(name).strip() for name in ("prerequisite", "concept", "evidence"))
    edit = _edit(decision, before, after, evidence)
    return {"done": decision, "number": str(visit.platform.graphs.record(visit.course_id, edit).number)}


def _edit(decision: str, before: str, after: str, evidence: str) -> GraphEdit:
    if decision == "reject":
        return UnlinkConcepts(prerequisite=before, concept=after)
    return LinkConcepts(prerequisite=before, concept=after, evidence=evidence[:LONGEST_EVIDENCE])


def _evidence(each: Reviewed) -> str:
    return "\n".join(each.edge.evidence) if each.edge else ""


def _ticked(visit: Visit) -> list[Reviewed]:
    """Those that a form names, or all that the address lists; `NotFound` names one that is gone."""
    review = visit.platform.graphs.review(visit.course_id)
    if visit.field("all"):
        return _listed(visit, review)
    every = (*review.listed(Show.ALL), *review.listed(Show.REJECTED))
    known = {(each.prerequisite.name, each.concept.name): each for each in every}
    pairs = [tuple(each.partition("\t")[::2]) for each in dict.fromkeys(visit.form.get("pair", ()))]
    for before, after in pairs:
        if (before, after) not in known:
            raise NotFound(Fault("graph.no_prerequisite", prerequisite=before, concept=after), field="pair")
    return [known[before, after] for before, after in pairs]


def _listed(visit: Visit, review: EdgeReview) -> list[Reviewed]:
    return review.listed(_shown(visit), unit=visit.unit_in(review.units), search=visit.search)


def _shown(visit: Visit) -> Show:
    return Show(visit.asked("show", tuple(Show)) or Show.UNDECIDED)


@router.get("/graph/model")
def show_model_graph(visit: Visiting) -> Response:
    """What a language model has to read, at which cost, and how far it has come."""
    plan = visit.platform.model_graphs.plan(visit.course_id)
    return visit.page(
        "model_graph.html",
        plan=plan,
        cost=visit.platform.settings.cost_of(plan.usage),
        run=visit.platform.model_graphs.last_run(visit.course_id),
        has_model=visit.platform.model is not None,
    )


@router.form("/graph/model", show_model_graph)
def start_model(visit: Visiting) -> Response:
    visit.platform.model_graphs.start(visit.course_id)
    return visit.to("graph/model")


@router.get("/graph/seeds")
def show_seeds(visit: Visiting) -> Response:
    """The stored seeds, and a form for a syllabus."""
    seeds = visit.platform.graphs.seeds(visit.course_id)
    return visit.page("seeds.html", seeds=seeds, terms=(), kept="kept" in visit.query)


@router.form("/graph/seeds", show_seeds)
async def read_file(visit: Uploading) -> Response:
    """Read an uploaded syllabus, and show its terms; nothing is stored yet."""
    async with read_uploads(visit, "syllabus") as uploads:
        name, file = uploads[0].name, uploads[0].file.file
        read = partial(
            read_syllabus,
            name=name,
            course=visit.who.course,
            readers=visit.platform.readers,
            each_line="lines" in visit.query,
        )
        terms = await asyncio.to_thread(read, file)
    compared = await asyncio.to_thread(visit.platform.graphs.compare_terms, visit.course_id, terms)
    return await asyncio.to_thread(show_seeds, visit.showing(terms=compared))


@router.form("/graph/seeds/keep", show_seeds)
def keep(visit: Visiting) -> Response:
    """Store the chosen terms in place of the last ones, and build the graph with them."""
    visit.platform.graphs.keep_seeds(visit.course_id, visit.form.get("name", ()))
    visit.platform.graphs.build(visit.course_id)
    return visit.to("graph/seeds?kept")
