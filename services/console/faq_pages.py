"""FAQ entries in the console: the table, one entry with its history, and both versions on a conflict."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from services.console.access import Form, Visitor, field, read_form, visitors_of
from services.console.faq_forms import draft_of
from services.console.pages import marked_difference, page
from services.publishing import catch_up
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.text import normalise
from vta.types import FaqDraft, FaqEntry, FaqId

PAGE_SIZE = 50
_EMPTY = FaqDraft(question="", answer="")


def faq_pages(platform: Platform) -> APIRouter:
    """The pages of FAQ entries over one platform."""
    router = APIRouter()
    visitor = Depends(visitors_of(platform))
    faq = platform.stores.faq

    @router.get("/faq")
    async def table(request: Request, who: Visitor = visitor) -> Response:
        """A page of the entries, or of those whose texts hold what is searched for; newest edits first."""
        sought = request.query_params.get("search", "")[:200]
        entries = await asyncio.to_thread(faq.entries, who.course.id)
        found = await asyncio.to_thread(_search, entries, normalise(sought))
        found.sort(key=lambda entry: entry.edited_at, reverse=True)
        number = _number(request.query_params.get("page", "1"))
        shown = found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        return page(
            request,
            "faq.html",
            who,
            entries=shown,
            total=len(found),
            search=sought,
            number=number,
            last=max(1, -(-len(found) // PAGE_SIZE)),
        )

    @router.get("/faq/new")
    async def new_entry(request: Request, who: Visitor = visitor) -> Response:
        question = request.query_params.get("question", "")[:2000]
        draft = FaqDraft(question=question, answer="") if question else _EMPTY
        return page(request, "entry.html", who, entry=None, draft=draft, versions=(), fault="", saved=False)

    @router.post("/faq/new")
    async def add_entry(request: Request, who: Visitor = visitor) -> Response:
        form = await read_form(request, who)
        draft = draft_of(form)
        try:
            (entry,) = await asyncio.to_thread(faq.add, who.course.id, [draft], editor=who.name)
        except (InvalidInput, Conflict) as fault:
            return page(
                request,
                "entry.html",
                who,
                status=409,
                entry=None,
                draft=draft,
                versions=(),
                fault=fault.message,
                saved=False,
            )
        await asyncio.to_thread(catch_up, platform.knowledge)
        return _to_entry(who, entry.id)

    @router.get("/faq/{entry}")
    async def show_entry(request: Request, entry: str, who: Visitor = visitor) -> Response:
        versions = await asyncio.to_thread(faq.history, who.course.id, FaqId(entry))
        return page(
            request,
            "entry.html",
            who,
            entry=versions[-1],
            draft=versions[-1].draft,
            versions=_with_differences(versions),
            fault="",
            saved="saved" in request.query_params,
        )

    @router.post("/faq/{entry}")
    async def write_entry(request: Request, entry: str, who: Visitor = visitor) -> Response:
        """Save, remove or roll back, as the button pressed says; both versions where someone was quicker."""
        form = await read_form(request, who)
        try:
            await asyncio.to_thread(write, who, FaqId(entry), form)
        except (InvalidInput, Conflict) as fault:
            versions = await asyncio.to_thread(faq.history, who.course.id, FaqId(entry))
            overtaken = isinstance(fault, Conflict) and not fault.field
            return page(
                request,
                "conflict.html" if overtaken else "entry.html",
                who,
                status=409,
                entry=versions[-1],
                draft=draft_of(form),
                versions=_with_differences(versions),
                fault=fault.message,
                saved=False,
            )
        return _to_entry(who, FaqId(entry))

    def write(who: Visitor, entry: FaqId, form: Form) -> None:
        known, expected = (who.course.id, entry), _number(field(form, "version"))
        match field(form, "action"):
            case "remove":
                faq.remove(*known, editor=who.name, expected=expected)
            case "roll_back":
                old = faq.history(*known)[: _number(field(form, "to"))][-1]
                faq.edit(*known, old.draft, editor=who.name, expected=expected)
            case _:
                faq.edit(*known, draft_of(form), editor=who.name, expected=expected)
        catch_up(platform.knowledge)

    return router


def _to_entry(who: Visitor, entry: FaqId) -> Response:
    return RedirectResponse(f"/console/{who.course.id}/faq/{entry}?saved", status_code=303)


def _with_differences(versions: tuple[FaqEntry, ...]) -> list[tuple[FaqEntry, Markup, Markup]]:
    """Each version with its question and answer as they differ from the version before, newest first."""
    before = (versions[0], *versions)
    marked = [
        (
            new,
            marked_difference(old.draft.question, new.draft.question),
            marked_difference(old.draft.answer, new.draft.answer),
        )
        for old, new in zip(before, versions, strict=False)
    ]
    return marked[::-1]


def _number(text: str) -> int:
    """A number that counts from 1."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _search(entries: Sequence[FaqEntry], sought: str) -> list[FaqEntry]:
    return [entry for entry in entries if not sought or _holds(entry.draft, sought)]


def _holds(draft: FaqDraft, sought: str) -> bool:
    return any(sought in normalise(text) for text in (draft.question, draft.answer, *draft.similar_questions))
