"""What the graph of a course is built with: a language model's reading, and names that are given."""

from __future__ import annotations

from fastapi.responses import Response

from concept_graph.extraction.material import read_seeds
from services.console.visits import PageRouter, Visiting

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
    """The names that every build is given, one a line."""
    seeds = visit.platform.graphs.seeds(visit.course_id)
    return visit.page("seeds.html", seeds=seeds, kept="kept" in visit.query)


@router.form("/graph/seeds", show_seeds)
def keep_seeds(visit: Visiting) -> Response:
    """Store the names in place of the last ones, and build the graph with them."""
    names = read_seeds(visit.field("seeds"), path="seeds")
    visit.platform.graphs.keep_seeds(visit.course_id, names)
    visit.platform.graphs.build(visit.course_id)
    return visit.to("graph/seeds?kept")
