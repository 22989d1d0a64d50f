"""FAQ entries in the console: the table, one entry with its history, and both versions on a conflict."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from services.console.faq_forms import draft_of
from services.console.pages import marked_difference, page, page_number, whole_number
from services.identity.instructor_sessions import (
    Form,
    InstructorSession,
    field,
    instructor_sessions_of,
    read_form,
)
from services.indexing.sync import sync_index
from services.use_cases.replay import QUESTIONS, Proposal, Replayed, replay
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.types import FaqDraft, FaqEntry, FaqId

PAGE_SIZE = 50


def faq_pages(platform: Platform) -> APIRouter:
    """The pages of FAQ entries over one platform."""
    router = APIRouter()
    instructor = Depends(instructor_sessions_of(platform))
    faq = platform.stores.faq

    @router.get("/faq")
    async def table(request: Request, who: InstructorSession = instructor) -> Response:
        """A page of the entries, or of those whose texts hold what is searched for; newest edits first."""
        sought = request.query_params.get("search", "")[:200]
        number = page_number(request)
        total, shown = await asyncio.to_thread(
            faq.latest, who.course.id, sought=sought, offset=(number - 1) * PAGE_SIZE, limit=PAGE_SIZE
        )
        return page(
            request,
            "faq.html",
            who,
            entries=shown,
            total=total,
            search=sought,
            number=number,
            last=max(1, -(-total // PAGE_SIZE)),
        )

    @router.get("/faq/new")
    async def new_entry(request: Request, who: InstructorSession = instructor) -> Response:
        question = request.query_params.get("question", "")[:2000]
        return show(request, who, FaqDraft(question=question, answer=""))

    @router.post("/faq/new")
    async def add_entry(request: Request, who: InstructorSession = instructor) -> Response:
        """Save, or only say what would change."""
        form = await read_form(request, who)
        draft = draft_of(form)
        try:
            if field(form, "action") == "replay":
                return show(request, who, draft, replayed=await try_out(who, Proposal(draft=draft)))
            (entry,) = await asyncio.to_thread(faq.add, who.course.id, [draft], editor=who.name)
        except (InvalidInput, Conflict) as fault:
            return show(request, who, draft, fault=fault.message)
        await asyncio.to_thread(sync_index, platform.knowledge)
        return _to_entry(who, entry.id)

    @router.get("/faq/{entry}")
    async def show_entry(request: Request, entry: str, who: InstructorSession = instructor) -> Response:
        versions = await asyncio.to_thread(faq.history, who.course.id, FaqId(entry))
        saved = "saved" in request.query_params
        return show(request, who, versions[-1].draft, versions, saved=saved)

    @router.post("/faq/{entry}")
    async def write_entry(request: Request, entry: str, who: InstructorSession = instructor) -> Response:
        """Save, remove, roll back or try out, as the button says; both versions where someone was quicker."""
        form = await read_form(request, who)
        draft, action = draft_of(form), field(form, "action")
        try:
            if action in ("replay", "replay_removal"):
                proposal = Proposal(draft=draft if action == "replay" else None, entry=FaqId(entry))
                replayed = await try_out(who, proposal)
                versions = await asyncio.to_thread(faq.history, who.course.id, FaqId(entry))
                return show(request, who, draft, versions, replayed=replayed, seen=field(form, "version"))
            await asyncio.to_thread(write, who, FaqId(entry), form)
        except (InvalidInput, Conflict) as fault:
            versions = await asyncio.to_thread(faq.history, who.course.id, FaqId(entry))
            overtaken = isinstance(fault, Conflict) and not fault.field
            template = "conflict.html" if overtaken else "entry.html"
            return show(request, who, draft, versions, fault=fault.message, template=template)
        return _to_entry(who, FaqId(entry))

    def show(
        request: Request,
        who: InstructorSession,
        draft: FaqDraft,
        versions: tuple[FaqEntry, ...] = (),
        *,
        template: str = "entry.html",
        fault: str = "",
        saved: bool = False,
        replayed: tuple[Replayed, ...] | None = None,
        seen: str = "",
    ) -> Response:
        """The page of an entry, or of a new one; `seen` is the version that the writer began from."""
        entry = versions[-1] if versions else None
        return page(
            request,
            template,
            who,
            status=409 if fault else 200,
            entry=entry,
            version=whole_number(seen) if seen else entry.version if entry else 0,
            draft=draft,
            versions=_with_differences(versions) if versions else (),
            fault=fault,
            saved=saved,
            replayed=replayed,
        )

    async def try_out(who: InstructorSession, proposal: Proposal) -> tuple[Replayed, ...]:
        return await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)

    def write(who: InstructorSession, entry: FaqId, form: Form) -> None:
        known, expected = (who.course.id, entry), whole_number(field(form, "version"))
        match field(form, "action"):
            case "remove":
                faq.remove(*known, editor=who.name, expected=expected)
            case "roll_back":
                old = faq.history(*known)[: whole_number(field(form, "to"))][-1]
                faq.edit(*known, old.draft, editor=who.name, expected=expected)
            case _:
                faq.edit(*known, draft_of(form), editor=who.name, expected=expected)
        sync_index(platform.knowledge)

    return router


def _to_entry(who: InstructorSession, entry: FaqId) -> Response:
    return RedirectResponse(f"/console/{who.course.id}/faq/{entry}?saved", status_code=303)


def _with_differences(
    versions: tuple[FaqEntry, ...],
) -> list[tuple[FaqEntry, Markup, Markup, Markup, Markup]]:
    """Each version with its texts as they differ from the version before, newest first.

    The texts are question, answer, similar and negative questions; the last two are empty where they stay.
    """
    before = (versions[0], *versions)
    marked = []
    for old, new in zip((each.draft for each in before), versions, strict=False):
        variants = [
            marked_difference("\n".join(was), "\n".join(now)) if was != now else Markup()
            for was, now in (
                (old.similar_questions, new.draft.similar_questions),
                (old.negative_questions, new.draft.negative_questions),
            )
        ]
        question = marked_difference(old.question, new.draft.question)
        answer = marked_difference(old.answer, new.draft.answer)
        marked.append((new, question, answer, variants[0], variants[1]))
    return marked[::-1]
