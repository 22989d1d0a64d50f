"""The page of a course's facts: their table, a form for one, the time zone, and what files state."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime

from fastapi.responses import Response

from services.console.forms import action_of, number_in
from services.console.visits import PageRouter, Visit, Visiting
from services.facts.proposals import Proposal, propose
from services.facts.store import LONGEST_LINE, LONGEST_NOTE, with_fact
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.facts import CourseFacts, Fact, FactKind

ACTIONS = ("save", "remove", "reviewed", "accept", "dismiss", "zone")

router = PageRouter()


@router.get("/facts")
def show_facts(visit: Visiting) -> Response:
    """All facts, a form for a new one or the one of `edit`, and with `look` what the files state."""
    known = visit.platform.stores.facts.facts(visit.course_id)
    wanted = visit.field("id", visit.query.get("edit", ""))
    return visit.page(
        "facts.html",
        known=known,
        edited=next((each for each in known.facts if each.id == wanted), None),
        kinds=tuple(FactKind),
        reviews=sum(each.review for each in known.facts),
        proposals=_proposals(visit, known) if "look" in visit.query else None,
        longest=LONGEST_LINE,
        longest_note=LONGEST_NOTE,
    )


@router.form("/facts", show_facts)
def change_facts(visit: Visiting) -> Response:
    """Save, remove or review a fact, accept or dismiss what a file states, or set the time zone."""
    action, facts = action_of(visit.form, ACTIONS), visit.platform.stores.facts
    if action not in ("accept", "dismiss"):
        facts.change(visit.course_id, lambda found: _changed(visit, found, action))
        return visit.to("facts?saved")
    proposals = _proposals(visit, facts.facts(visit.course_id))
    stated = next((each.fact for each in proposals if each.fact.id == visit.field("id")), None)
    if stated is None:
        raise InvalidInput(Fault("fact.gone"), field="id")
    if action == "accept":
        facts.change(visit.course_id, lambda found: with_fact(found, stated))
    else:
        facts.change(visit.course_id, lambda found: replace(found, dismissed=(*found.dismissed, stated.id)))
    return visit.to("facts?saved&look")


def _changed(visit: Visit, found: CourseFacts, action: str) -> CourseFacts:
    """The facts after a form; `InvalidInput` where the fact is gone."""
    id = visit.field("id")
    if action == "zone":
        return replace(found, time_zone=visit.field("time_zone"))
    old = next((each for each in found.facts if each.id == id), None)
    if old is None and id:
        raise InvalidInput(Fault("fact.gone"), field="id")
    if action == "save":
        return with_fact(found, _fact_of(visit, id or secrets.token_hex(8)))
    if action == "reviewed" and old is not None:
        return with_fact(found, replace(old, review=False))
    return replace(found, facts=tuple(each for each in found.facts if each.id != id))


def _fact_of(visit: Visit, id: str) -> Fact:
    kind = visit.field("kind")
    if kind not in set(FactKind):
        raise InvalidInput(Fault("fact.kind", kind=kind[:40], kinds=", ".join(FactKind)), field="kind")
    return Fact(
        id=id,
        kind=FactKind(kind),
        name=visit.field("name"),
        begins=visit.field("begins"),
        ends=visit.field("ends"),
        weekday=number_in(visit.form, "weekday") if visit.field("weekday") else None,
        place=visit.field("place"),
        note=visit.field("note"),
        link=visit.field("link"),
    )


def _proposals(visit: Visit, known: CourseFacts) -> tuple[Proposal, ...]:
    pairs = visit.platform.stores.documents.pairs(visit.course_id)
    return propose(pairs, known, datetime.now(UTC).date())
