"""An FAQ entry in the console: written, shown with its history, and in both versions on a conflict."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from services.console.form_faults import FormFault, fault_of
from services.console.forms import action_of, draft_of, number_in
from services.console.pages import marked_difference, page
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.conversations import draft_from_turn
from services.use_cases.faq import FaqService
from services.use_cases.replay import QUESTIONS, Proposal, Replayed, replay
from services.wiring import Platform
from vta.errors import Conflict, InvalidInput
from vta.faq import LONGEST_CATEGORY, LONGEST_TEXT
from vta.types import FaqDraft, FaqEntry, FaqId, TurnId

LOOKED_AT = ("preview",)
TRIED_OUT = ("replay", "replay_removal")
WRITTEN = ("save", "remove", "restore", "roll_back")

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPage:
    """What the page of an entry, or of a new one, shows; `version` is the one that the writer began from.

    `near` are other entries that ask nearly the same; `rendered` shows the answer as students read it.
    """

    draft: FaqDraft
    versions: tuple[FaqEntry, ...] = ()
    version: int = 0
    fault: FormFault | None = None
    saved: bool = False
    near: tuple[FaqEntry, ...] = ()
    rendered: bool = False
    replayed: tuple[Replayed, ...] | None = None


@router.get("/faq/new")
async def new_entry(request: Request, platform: Served, who: LoggedIn) -> Response:
    """An empty form, or one with the question that is given, or with those of a turn and its answer."""
    asked = request.query_params
    draft = FaqDraft(question=asked.get("question", "")[:2000], answer="")
    if (turn := asked.get("turn")) and who.may("questions"):
        draft = await asyncio.to_thread(draft_from_turn, platform.stores, who.course.id, TurnId(turn))
    return await _show(request, platform, who, EntryPage(draft=draft))


@router.post("/faq/rendered")
async def rendered(request: Request, who: LoggedIn) -> Response:
    """A part of a page: the answer that is being written, as students read it."""
    form = await read_form(request, who)
    return page(request, "rendered.html", who, text=field(form, "answer")[:LONGEST_TEXT])


@router.post("/faq/new")
async def add_entry(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Save, or only show the answer as it is read, or say what would change."""
    form = await read_form(request, who)
    draft, action = draft_of(form), action_of(form, ("save", *LOOKED_AT, "replay"))
    if action in LOOKED_AT:
        return await _show(request, platform, who, EntryPage(draft=draft, rendered=True))
    try:
        if action == "replay":
            proposal = Proposal(draft=draft)
            replayed = await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)
            return await _show(request, platform, who, EntryPage(draft=draft, replayed=replayed))
        entry = await asyncio.to_thread(platform.faq.add, who.course.id, draft, editor=who.name)
    except (InvalidInput, Conflict) as error:
        fault = await asyncio.to_thread(fault_of, error, platform.faq, who.course.id)
        return await _show(request, platform, who, EntryPage(draft=draft, fault=fault))
    return _to_entry(who, entry.id)


@router.get("/faq/{entry}")
async def show_entry(request: Request, entry: str, platform: Served, who: LoggedIn) -> Response:
    """An entry with its history."""
    versions = await asyncio.to_thread(platform.stores.faq.history, who.course.id, FaqId(entry))
    saved, newest = "saved" in request.query_params, versions[-1]
    near = await asyncio.to_thread(platform.faq.near, newest) if saved else ()
    shown = EntryPage(draft=newest.draft, versions=versions, version=len(versions), saved=saved, near=near)
    return await _show(request, platform, who, shown)


@router.post("/faq/{entry}")
async def write_entry(request: Request, entry: str, platform: Served, who: LoggedIn) -> Response:
    """Save, remove, restore, roll back, look at or try out, as the button says.

    Both versions are shown where someone was quicker.
    """
    form = await read_form(request, who)
    draft, action, known = draft_of(form), action_of(form, LOOKED_AT + TRIED_OUT + WRITTEN), FaqId(entry)
    versions = await asyncio.to_thread(platform.stores.faq.history, who.course.id, known)
    try:
        seen = number_in(form, "version")
        if action in LOOKED_AT:
            shown = EntryPage(draft=draft, versions=versions, version=seen, rendered=True)
            return await _show(request, platform, who, shown)
        if action in TRIED_OUT:
            proposal = Proposal(draft=draft if action == "replay" else None, entry=known)
            replayed = await asyncio.to_thread(replay, platform, who.course.id, proposal, limit=QUESTIONS)
            shown = EntryPage(draft=draft, versions=versions, version=seen, replayed=replayed)
            return await _show(request, platform, who, shown)
        await asyncio.to_thread(_write, platform.faq, who, known, form, seen)
    except (InvalidInput, Conflict) as error:
        fault = await asyncio.to_thread(fault_of, error, platform.faq, who.course.id)
        versions = await asyncio.to_thread(platform.stores.faq.history, who.course.id, known)
        shown = EntryPage(draft=draft, versions=versions, version=len(versions), fault=fault)
        overtaken = isinstance(error, Conflict) and not error.field
        return await _show(request, platform, who, shown, "conflict.html" if overtaken else "entry.html")
    if action == "remove":
        return RedirectResponse(f"/console/{who.course.id}/faq?removed={known}", status_code=303)
    return _to_entry(who, known)


def _write(faq: FaqService, who: InstructorSession, entry: FaqId, form: Form, seen: int) -> FaqEntry:
    known = (who.course.id, entry)
    match field(form, "action"):
        case "remove":
            return faq.remove(*known, editor=who.name, expected=seen)
        case "restore":
            return faq.restore(*known, editor=who.name, expected=seen)
        case "roll_back":
            return faq.roll_back(*known, number_in(form, "to"), editor=who.name, expected=seen)
        case "save":
            return faq.edit(*known, draft_of(form), editor=who.name, expected=seen)
        case action:
            raise AssertionError(f"{action!r} is not written")


async def _show(
    request: Request,
    platform: Platform,
    who: InstructorSession,
    shown: EntryPage,
    template: str = "entry.html",
) -> Response:
    categories = await asyncio.to_thread(platform.stores.faq.categories, who.course.id)
    return page(
        request,
        template,
        who,
        status=shown.fault.status if shown.fault else 200,
        entry=shown.versions[-1] if shown.versions else None,
        version=shown.version,
        draft=shown.draft,
        versions=_with_differences(shown.versions) if shown.versions else (),
        fault=shown.fault,
        categories=categories,
        longest_category=LONGEST_CATEGORY,
        saved=shown.saved,
        near=shown.near,
        rendered=shown.rendered,
        replayed=shown.replayed,
    )


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
