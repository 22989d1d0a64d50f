"""What the graph of a course is built with: a language model's reading, and seeds from a syllabus."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi.responses import Response

from services.console.forms import read_uploads
from services.console.visits import PageRouter, Uploading, Visiting
from services.graph.files import read_syllabus

router = PageRouter()


@router.get("/graph/model")
def show_model_graph(visit: Visiting) -> Response:
    """What a language model has to read, at which cost, and how far it has come."""
    plan = visit.platform.model_graphs.plan(visit.course_id)
    usage = plan.usage
    return visit.page(
        "model_graph.html",
        plan=plan,
        usage=usage,
        cost=visit.platform.settings.cost_of(usage),
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
