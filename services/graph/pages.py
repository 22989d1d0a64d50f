"""The concepts of a course: their list, decisions about several at once, and one with its edges and edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi.responses import Response
from pydantic import Discriminator, TypeAdapter, ValidationError

from concept_graph.paths import find_neighbourhood
from concept_graph.picture import draw_neighbourhood
from services.console.forms import number_in, read_fields
from services.console.visits import PageRouter, Visit, Visiting
from services.graph.review import ConceptOrder, ConceptQuery, ConceptReview
from services.people.sessions import Form, field
from services.web.serving import PICTURE_HEADERS
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.ports import ConceptGraph
from vta.types.concepts import AddConcept, Concept, GraphEdit, MergeConcepts, RejectConcept, RenameConcept
from vta.types.courses import CourseId

PAGE_SIZE = 50
DECISIONS = ("accept", "reject", "undo")
SETTLE = "settle"
"""Accepts the ticked concepts and removes the undecided rest of the page."""
_FILTER = ("order", "unit", "explained", "decided")
LONGEST_EVIDENCE = 5_000
"""Characters."""
REFUSALS = (InvalidInput, NotFound, Conflict)
"""Errors of a decision: a concept that it names may be gone."""
_QUERY = TypeAdapter(ConceptQuery)
_EDITS: TypeAdapter[GraphEdit] = TypeAdapter(Annotated[GraphEdit, Discriminator("kind")])

router = PageRouter()


@router.get("/graph")
def show_concepts(visit: Visiting) -> Response:
    """A page of the list, as the address filters and orders it."""
    review = _review(visit)
    query = _query(visit, review)
    concepts, numbers = visit.listed(review.listed(query), PAGE_SIZE)
    return visit.page(
        "graph.html",
        concepts=concepts,
        query=query,
        filtered=query != ConceptQuery(order=query.order),
        orders=list(ConceptOrder),
        units=review.units,
        search=query.search,
        kept=visit.kept_fields(*_FILTER),
        changed="changed" in visit.query,
        **numbers,
        **done_fields(visit),
    )


@router.form("/graph", show_concepts, REFUSALS)
def decide(visit: Visiting) -> Response:
    """Accept or remove all ticked concepts, or none; or undo that."""
    place, done = visit.kept_fields(*_FILTER, "search", "page"), _decide(visit)
    return visit.to(f"graph?{place}&{urlencode(done)}")


def decision_of(form: Form, *more: str) -> str:
    """The button that was pressed, one of `DECISIONS` or of `more`; `InvalidInput` for another one."""
    decision = field(form, "decision")
    if decision not in (*DECISIONS, *more):
        raise InvalidInput(Fault("console.no_graph_edit", kind=decision), field="decision")
    return decision


def done_fields(visit: Visit) -> dict[str, Any]:
    """The fields of the address on the last decision: its kind, how many it was about, and its number."""
    count, number, removed = (visit.query.get(name, "") for name in ("count", "number", "removed"))
    return {
        "done": visit.asked("done", (*DECISIONS, SETTLE)),
        "count": count if count.isdigit() else "",
        "removed": removed if removed.isdigit() else "",
        "decided": number,
    }


def record_ticked(visit: Visit, decision: str, ticked: int, edits: Sequence[GraphEdit]) -> dict[str, str]:
    """Record a decision about several; returns the fields by which the next page shows and undoes it.

    `InvalidInput` where nothing was ticked.
    """
    if not ticked:
        raise InvalidInput(Fault("console.none_ticked"))
    recorded = visit.platform.graphs.record_all(visit.course_id, edits)
    number = str(recorded[-1].number) if recorded else ""
    return {"done": decision, "count": str(ticked), "number": number}


def find_named(graph: ConceptGraph, course_id: CourseId, name: str) -> Concept:
    """The course's concept of this very name, or `NotFound`."""
    for concept in graph.concepts(course_id):
        if concept.name == name:
            return concept
    raise NotFound(Fault("graph.no_concept_of_course", course=course_id, name=name), field="name")


def _decide(visit: Visit) -> dict[str, str]:
    decision = decision_of(visit.form, SETTLE)
    if decision == "undo":
        visit.platform.graphs.undo(visit.course_id, number=number_in(visit.form, "number"))
        return {"done": decision}
    ticked = _ticked(visit)
    edits = _removed(ticked) if decision == "reject" else _accepted(ticked)
    if decision == SETTLE:
        shown = _named(visit, visit.form.get("shown", ()))
        rest = [each for each in shown if not each.curated and each not in ticked]
        done = record_ticked(visit, decision, len(ticked), edits + _removed(rest))
        return done | {"removed": str(len(rest))}
    return record_ticked(visit, decision, len(ticked), edits)


def _accepted(concepts: Sequence[Concept]) -> list[GraphEdit]:
    """Accepting adds a concept of this name, with the explanation it has."""
    return [AddConcept(name=each.name, definition=each.definition) for each in concepts if not each.curated]


def _removed(concepts: Sequence[Concept]) -> list[GraphEdit]:
    return [RejectConcept(concept=each.name) for each in concepts]


def _ticked(visit: Visit) -> Sequence[Concept]:
    """The concepts that a form names, or all that the address lists; `NotFound` names one that is gone."""
    if visit.field("all"):
        review = _review(visit)
        return [each.concept for each in review.listed(_query(visit, review))]
    return _named(visit, visit.form.get("concept", ()))


def _named(visit: Visit, names: Sequence[str]) -> Sequence[Concept]:
    graph = visit.platform.graphs.graph()
    return [find_named(graph, visit.course_id, name) for name in dict.fromkeys(names)]


def _review(visit: Visit) -> ConceptReview:
    lately = visit.platform.analytics.cached(visit.course_id, visit.platform.analytics.days(None, None))
    return visit.platform.graphs.review_concepts(visit.course_id, lately.asked)


def _query(visit: Visit, review: ConceptReview) -> ConceptQuery:
    return replace(read_fields(_QUERY, visit.query), unit=visit.unit_in(review.units))


@router.get("/graph/concept")
def show_concept(visit: Visiting) -> Response:
    """One concept, the one that an edit was about if its form was refused."""
    name = visit.field("about", visit.query.get("name", ""))
    graph = visit.platform.graphs.graph()
    concept = find_named(graph, visit.course_id, name)
    edges = graph.edges(visit.course_id)
    before = [each for each in edges if each.concept == concept.id]
    after = [each for each in edges if each.prerequisite == concept.id]
    return visit.page(
        "concept.html",
        concept=concept,
        before=[{"concept": graph.concept(each.prerequisite), "edge": each} for each in before],
        after=[{"concept": graph.concept(each.concept), "edge": each} for each in after],
        names=[each.name for each in graph.concepts(visit.course_id) if each.id != concept.id],
        changed="changed" in visit.query,
    )


@router.get("/graph/picture")
def picture(visit: Visiting, name: str) -> Response:
    graph = visit.platform.graphs.graph()
    around = find_neighbourhood(graph, find_named(graph, visit.course_id, name), depth=2, with_unsure=True)
    drawn = draw_neighbourhood(around, visit.who.course.language)
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE_HEADERS)


def _where_edited(visit: Visit) -> Response:
    return show_concept(visit) if visit.field("about") else show_concepts(visit)


@router.form("/graph/edits", _where_edited, REFUSALS)
def edit(visit: Visiting) -> Response:
    """Record the edit of a button, and show the concept that it was about."""
    recorded = visit.platform.graphs.record(visit.course_id, _edit_of(visit.form))
    name = quote(_next(recorded.edit, visit.field("about")), safe="")
    return visit.to(f"graph/concept?name={name}&changed" if name else "graph?changed")


@router.get("/graph/edits")
def list_edits(visit: Visiting) -> Response:
    found = visit.platform.graphs.edits(visit.course_id)
    lines = [(each.recorded, _in_words(each.recorded.edit), not each.effect) for each in reversed(found)]
    return visit.page("graph_edits.html", edits=lines, undone="undone" in visit.query)


@router.post("/graph/undo")
def undo(visit: Visiting) -> Response:
    visit.platform.graphs.undo(visit.course_id)
    return visit.to("graph/edits?undone")


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
    """The names and texts of an edit."""
    values = [value for key, value in asdict(edit).items() if key != "kind" and value]
    return " · ".join("、".join(value) if isinstance(value, tuple) else value for value in values)
