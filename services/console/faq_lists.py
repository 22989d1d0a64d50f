"""The list of FAQ entries in the console, what is done to several of them at once, and undoing it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.forms import action_of
from services.console.pages import page, whole_number
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, read_form
from services.identity.instructor_sessions import field as form_field
from services.use_cases.faq import FaqService
from services.wiring import Platform
from vta.errors import Conflict
from vta.faults import Fault
from vta.types import (
    CourseId,
    FaqBatch,
    FaqChange,
    FaqEntry,
    FaqId,
    FaqOrder,
    FaqQuery,
    FaqState,
    FaqUndone,
)

PAGE_SIZE = 50
MOST_AT_ONCE = 5000
"""Entries that one form changes."""
NAMED = 20
"""Entries that a confirmation names."""
LONGEST_SEARCH = 200
NO_CATEGORY = " "
"""Stands in an address for entries without a category, which no category is."""
ORDERS = (FaqOrder.NEWEST, FaqOrder.MOST_ASKED, FaqOrder.QUESTION, FaqOrder.CATEGORY, FaqOrder.OLDEST)
ACTIONS = ("category", "live", "draft", "remove", "restore")
_NONE_CHOSEN, _NOTHING_CHANGED = "none", "same"

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqAddress:
    """The addresses of a list as it is searched, filtered and ordered."""

    course: CourseId
    query: FaqQuery
    number: int = 1

    @property
    def fields(self) -> Mapping[str, str]:
        """The query as the fields of a form, the usual values left out."""
        query = self.query
        found = {
            "search": query.sought,
            "category": "" if query.category is None else query.category or NO_CATEGORY,
            "state": query.state or "",
            "order": "" if query.order is ORDERS[0] else query.order,
            "show": "removed" if query.removed else "",
            "page": "" if self.number == 1 else str(self.number),
        }
        return {name: str(value) for name, value in found.items() if value}

    def at(self, number: int) -> str:
        """Another page of the same."""
        return replace(self, number=number).with_()

    def with_(self, **more: str) -> str:
        """The address, with further fields."""
        fields = urlencode({**self.fields, **more})
        return f"/console/{self.course}/faq" + (f"?{fields}" if fields else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """What the list says was done just now: to a batch of entries, some of them named, or to one."""

    batch: FaqBatch | None = None
    named: Sequence[FaqEntry] = ()
    removed: FaqEntry | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """What a form wants done, and to which entries."""

    action: str
    category: str
    ids: Sequence[FaqId] = field(default_factory=tuple)

    @property
    def change(self) -> FaqChange:
        match self.action:
            case "category":
                return FaqChange(category=self.category)
            case "live" | "draft":
                return FaqChange(state=FaqState(self.action))
        return FaqChange(removed=self.action == "remove")


def address_of(course: CourseId, fields: Mapping[str, str]) -> FaqAddress:
    """What the fields of an address or form ask for; what they do not say, or say wrongly, is as usual."""
    category, state, order = (fields.get(name, "") for name in ("category", "state", "order"))
    query = FaqQuery(
        sought=fields.get("search", "")[:LONGEST_SEARCH],
        removed=fields.get("show") == "removed",
        category=category.strip() if category else None,
        state=FaqState(state) if state in set(FaqState) else None,
        order=FaqOrder(order) if order in set(FaqOrder) else ORDERS[0],
    )
    return FaqAddress(course=course, query=query, number=whole_number(fields.get("page", "1")))


@router.get("/faq")
async def table(request: Request, platform: Served, who: LoggedIn) -> Response:
    """A page of the entries, or of the removed ones, as they are searched, filtered and ordered."""
    address = address_of(who.course.id, request.query_params)
    done = await asyncio.to_thread(_done, platform, who.course.id, request.query_params)
    return await asyncio.to_thread(_show, request, platform, who, address, done)


@router.post("/faq/selected")
async def confirm(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Say how many entries a change is for, and which, before it is made."""
    form = await read_form(request, who)
    back = _back(who.course.id, form)
    chosen = await asyncio.to_thread(_chosen, platform.faq, who.course.id, form, back)
    if not chosen.ids:
        return RedirectResponse(back.with_(done=_NONE_CHOSEN), status_code=303)
    named = await asyncio.to_thread(_named, platform.faq, who.course.id, chosen.ids[:NAMED])
    return page(request, "faq_confirm.html", who, chosen=chosen, named=named, address=back)


@router.post("/faq/change")
async def change(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Change the entries of a confirmed form; then the list again, with a way back."""
    form = await read_form(request, who)
    back = _back(who.course.id, form)
    ids = tuple(FaqId(each) for each in form_field(form, "entries").split()[:MOST_AT_ONCE])
    chosen = _Chosen(action=action_of(form, ACTIONS), category=form_field(form, "to"), ids=ids)
    batch = await asyncio.to_thread(
        platform.faq.change, who.course.id, chosen.ids, chosen.change, editor=who.name
    )
    done = {"batch": batch.id} if batch else {"done": _NOTHING_CHANGED}
    return RedirectResponse(back.with_(**done), status_code=303)


@router.get("/faq/changes")
async def changes(request: Request, platform: Served, who: LoggedIn) -> Response:
    """The last imports and changes of several entries."""
    return await asyncio.to_thread(_show_changes, request, platform, who)


@router.post("/faq/changes")
async def undo(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Undo one of them, and name the entries that were kept."""
    form = await read_form(request, who)
    batch = form_field(form, "batch")
    try:
        undone = await asyncio.to_thread(platform.faq.undo, who.course.id, batch, editor=who.name)
    except Conflict as conflict:
        return await asyncio.to_thread(_show_changes, request, platform, who, fault=conflict.fault)
    return await asyncio.to_thread(_show_changes, request, platform, who, undone=undone)


def _show(
    request: Request, platform: Platform, who: InstructorSession, address: FaqAddress, done: _Done
) -> Response:
    query, first = address.query, (address.number - 1) * PAGE_SIZE
    found = platform.faq.page(who.course.id, query, offset=first, limit=PAGE_SIZE)
    return page(
        request,
        "faq.html",
        who,
        entries=found.entries,
        asked=platform.stores.faq.asked(who.course.id, [each.id for each in found.entries]),
        categories=platform.stores.faq.categories(who.course.id),
        total=found.total,
        query=query,
        address=address,
        orders=ORDERS,
        no_category=NO_CATEGORY,
        filtered=bool(query.sought or query.state or query.category is not None),
        done=done,
        number=address.number,
        last=max(1, -(-found.total // PAGE_SIZE)),
        most=MOST_AT_ONCE,
    )


def _show_changes(
    request: Request,
    platform: Platform,
    who: InstructorSession,
    *,
    undone: FaqUndone | None = None,
    fault: Fault | None = None,
) -> Response:
    batches = platform.stores.faq_batches.batches(who.course.id)
    status = 409 if fault else 200
    return page(request, "faq_changes.html", who, status=status, batches=batches, undone=undone, fault=fault)


def _done(platform: Platform, course_id: CourseId, fields: Mapping[str, str]) -> _Done:
    """What the address says was done."""
    if batch := fields.get("batch"):
        batches = platform.stores.faq_batches
        named = batches.written(course_id, batch, limit=2)
        return _Done(batch=batches.batch(course_id, batch), named=named)
    if removed := fields.get("removed"):
        entry = platform.faq.entry(course_id, FaqId(removed))
        return _Done(removed=entry if entry.removed else None)
    done = fields.get("done", "")
    return _Done(fault=done if done in (_NONE_CHOSEN, _NOTHING_CHANGED) else "")


def _back(course_id: CourseId, form: Form) -> FaqAddress:
    names = ("search", "category", "state", "order", "show", "page")
    return address_of(course_id, {name: form_field(form, name) for name in names})


def _chosen(faq: FaqService, course_id: CourseId, form: Form, back: FaqAddress) -> _Chosen:
    action = action_of(form, ACTIONS)
    ids = tuple(FaqId(each) for each in form.get("entry", ()))
    if form_field(form, "all"):
        ids = tuple(entry.id for entry in faq.page(course_id, back.query, limit=MOST_AT_ONCE).entries)
    return _Chosen(action=action, category=form_field(form, "to").strip(), ids=ids[:MOST_AT_ONCE])


def _named(faq: FaqService, course_id: CourseId, ids: Sequence[FaqId]) -> list[FaqEntry]:
    return [faq.entry(course_id, each) for each in ids]
