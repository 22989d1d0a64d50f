"""The concepts of a course: the most used ones, each with its prerequisites and edits, and its builds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated
from urllib.parse import quote

from fastapi.responses import JSONResponse, Response
from pydantic import Discriminator, TypeAdapter, ValidationError

from concept_graph.extraction.material import read_seeds
from concept_graph.paths import find_neighbourhood, own_place
from concept_graph.picture import draw_neighbourhood
from services.console.forms import number_in
from services.console.visits import PageRouter, Visit, Visiting
from services.graph.review import FIRST
from services.people.sessions import Form, field
from services.web.serving import PICTURE_HEADERS
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.languages import Language
from vta.places import describe_place
from vta.ports import ConceptGraph
from vta.types.concepts import AddConcept, Concept, GraphEdit, MergeConcepts, RejectConcept, RenameConcept
from vta.types.courses import CourseId

LONGEST_EVIDENCE = 5_000
"""Characters."""
REFUSALS = (InvalidInput, NotFound, Conflict)
"""Errors of a decision: a concept that it names may be gone."""
_EDITS: TypeAdapter[GraphEdit] = TypeAdapter(Annotated[GraphEdit, Discriminator("kind")])

router = PageRouter()


@router.get("/graph")
def show_concepts(visit: Visiting) -> Response:
    """The most used concepts, or those that a search finds; `changed` is the number of the edit just made."""
    visit.platform.graphs.catch_up()
    lately = visit.platform.analytics.current(visit.course_id, visit.platform.analytics.days(None, None))
    found = visit.platform.graphs.review_concepts(visit.course_id, asked=lately.asked, search=visit.search)
    shown = found[:FIRST]
    return visit.page(
        "graph.html",
        concepts=[(each, _where(each.concept, visit.language)) for each in shown],
        total=len(found),
        more=len(found) - len(shown),
        search=visit.search,
        changed=visit.query.get("changed", ""),
        undone="undone" in visit.query,
    )


def _where(concept: Concept, language: Language) -> str:
    place = own_place(concept)
    return describe_place(place, language) if place else ""


def find_named(graph: ConceptGraph, course_id: CourseId, name: str) -> Concept:
    """The course's concept of this very name, or `NotFound`."""
    for concept in graph.concepts(course_id):
        if concept.name == name:
            return concept
    raise NotFound(Fault("graph.no_concept_of_course", course=course_id, name=name), field="name")


@router.get("/graph/concept")
def show_concept(visit: Visiting) -> Response:
    """One concept, the one that an edit was about if its form was refused."""
    name = visit.field("about", visit.query.get("name", ""))
    visit.platform.graphs.catch_up()
    graph = visit.platform.graphs.graph(visit.who.course)
    concept = find_named(graph, visit.course_id, name)
    edges = [each for each in graph.edges(visit.course_id) if each.is_sure]
    before = [each for each in edges if each.concept == concept.id]
    after = [each for each in edges if each.prerequisite == concept.id]
    return visit.page(
        "concept.html",
        concept=concept,
        where=_where(concept, visit.language),
        before=[{"concept": graph.concept(each.prerequisite), "edge": each} for each in before],
        after=[{"concept": graph.concept(each.concept), "edge": each} for each in after],
        names=[each.name for each in graph.concepts(visit.course_id) if each.id != concept.id],
        changed="changed" in visit.query,
    )


@router.get("/graph/picture")
def picture(visit: Visiting, name: str) -> Response:
    graph = visit.platform.graphs.graph(visit.who.course)
    around = find_neighbourhood(graph, find_named(graph, visit.course_id, name), depth=2)
    drawn = draw_neighbourhood(around, visit.who.course.language)
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE_HEADERS)


def _where_edited(visit: Visit) -> Response:
    return show_concept(visit) if visit.field("about") else show_concepts(visit)


@router.form("/graph/edits", _where_edited, REFUSALS)
def edit(visit: Visiting) -> Response:
    """Record the edit of a button, and show the list that it stands in or the concept that it was about.

    A script gets the edit's number as soon as it is stored; the next of these pages waits until it holds.
    """
    made, waits = _edit_of(visit.form), not visit.wants_json
    recorded = visit.platform.graphs.record(visit.course_id, made, waits=waits)
    if visit.wants_json:
        return JSONResponse({"number": recorded.number})
    name = quote(_next(recorded.edit, visit.field("about")), safe="")
    if name and "search" not in visit.form:
        return visit.to(f"graph/concept?name={name}&changed")
    return visit.to("graph", _listed(visit, {"changed": str(recorded.number)}))


def _listed(visit: Visit, fields: Mapping[str, str]) -> Mapping[str, str]:
    """The address of the list with the search that a form was sent from."""
    return {"search": visit.search, **fields} if visit.search else fields


@router.get("/graph/edits")
def list_edits(visit: Visiting) -> Response:
    found = visit.platform.graphs.edits(visit.course_id)
    lines = [(each.recorded, _in_words(each.recorded.edit), not each.effect) for each in reversed(found)]
    return visit.page("graph_edits.html", edits=lines, undone="undone" in visit.query)


@router.form("/graph/undo", show_concepts, REFUSALS)
def undo(visit: Visiting) -> Response:
    """Undo the last edit; from the list only the one that was made there, whose number it sends."""
    if "number" not in visit.form:
        visit.platform.graphs.undo(visit.course_id)
        return visit.to("graph/edits?undone")
    number, waits = number_in(visit.form, "number"), not visit.wants_json
    undone = visit.platform.graphs.undo(visit.course_id, number=number, waits=waits)
    if visit.wants_json:
        return JSONResponse({"number": undone[-1].number})
    return visit.to("graph", _listed(visit, {"undone": "1"}))


def _edit_of(form: Form) -> GraphEdit:
    """The edit that a form says. `InvalidInput` for an unknown kind."""
    fields = {name: field(form, name).strip() for name in form}
    fields |= {"evidence": fields.get("evidence", "")[:LONGEST_EVIDENCE]}
    try:
        return _EDITS.validate_python(fields)
    except ValidationError as error:
        raise InvalidInput(
            Fault("console.no_graph_edit", kind=fields.get("kind", "")), field="kind"
        ) from error


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


def _in_words(edit: GraphEdit) -> str:
    values = [value for key, value in asdict(edit).items() if key != "kind" and value]
    return " · ".join("、".join(value) if isinstance(value, tuple) else value for value in values)


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
