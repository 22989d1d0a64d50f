"""A model's proposals and seeds from a syllabus, to be decided about."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi.responses import Response

from services.console.forms import read_uploads
from services.console.visits import PageRouter, Uploading, Visiting
from services.graph.files import read_syllabus
from services.graph.pages import REFUSALS
from services.graph.review import FIRST
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.concepts import ExplainConcept

router = PageRouter()


@router.get("/graph/proposals")
def show_proposals(visit: Visiting) -> Response:
    """A model's proposals: those that wait, and those that students see until somebody removes them."""
    found = visit.platform.proposals.proposals(visit.course_id)
    return visit.page(
        "proposals.html",
        waiting=[each for each in found if not each.is_shown],
        shown=[each for each in found if each.is_shown],
        has_model=visit.platform.model is not None,
        done=visit.asked("done", ("accept", "reject")),
        most=FIRST,
    )


@router.form("/graph/proposals", show_proposals, REFUSALS)
def decide_proposal(visit: Visiting) -> Response:
    """Accept or remove one proposal."""
    edit = ExplainConcept(
        concept=visit.field("concept").strip(), definition=visit.field("definition").strip()
    )
    decision = visit.field("decision")
    decisions = {"accept": visit.platform.proposals.accept, "reject": visit.platform.proposals.remove}
    if decision not in decisions:
        raise InvalidInput(Fault("console.no_graph_edit", kind=decision), field="decision")
    decisions[decision](visit.course_id, edit)
    return visit.to(f"graph/proposals?done={decision}")


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
    visit.platform.proposals.recheck(visit.course_id)
    return visit.to("graph/seeds?kept")
